// A recording API server on net/http, the parser that real API servers use. It prints two addresses: one for requests,
// and one that returns the requests seen since it was last asked.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
)

type seen struct {
	Method string      `json:"method"`
	Path   string      `json:"path"`
	Body   string      `json:"body"`
	Cut    bool        `json:"cut"`
	Header http.Header `json:"header"`
}

var (
	lock sync.Mutex
	all  = []seen{}
)

func record(request *http.Request) {
	body, err := io.ReadAll(request.Body)
	entry := seen{request.Method, request.RequestURI, base64.StdEncoding.EncodeToString(body), err != nil, request.Header}
	lock.Lock()
	all = append(all, entry)
	lock.Unlock()
}

func answer(response http.ResponseWriter, request *http.Request) {
	if strings.HasSuffix(request.RequestURI, "/selfsubjectaccessreviews") {
		response.Header().Set("content-type", "application/json")
		fmt.Fprint(response, `{"status":{"allowed":true}}`)
		return
	}
	record(request)
	if script := request.Header.Get("x-answer"); script != "" {
		raw, _ := base64.StdEncoding.DecodeString(script)
		if connection, _, err := http.NewResponseController(response).Hijack(); err == nil {
			connection.Write(raw)
			// Further requests on this connection are not answered properly either.
			go io.Copy(io.Discard, connection)
		}
		return
	}
	if request.Header.Get("upgrade") == "echo" && strings.Contains(request.RequestURI, "/up/") {
		echo(response, request)
		return
	}
	response.Header().Set("x-case", request.RequestURI)
	fmt.Fprintf(response, "answer to %s", request.RequestURI)
	if request.Header.Get("x-chunked") != "" {
		http.NewResponseController(response).Flush()
		fmt.Fprint(response, " in chunks")
	}
}

// Echoes its input until it has received END!.
func echo(response http.ResponseWriter, request *http.Request) {
	connection, buffered, err := http.NewResponseController(response).Hijack()
	if err != nil {
		return
	}
	defer connection.Close()
	fmt.Fprintf(connection, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\nX-Case: %s\r\n\r\n", request.RequestURI)
	heard := ""
	reader := bufio.NewReader(buffered)
	for !strings.HasSuffix(heard, "END!") {
		next, err := reader.ReadByte()
		if err != nil {
			return
		}
		heard += string([]byte{next})
		connection.Write([]byte{next})
	}
}

func tell(response http.ResponseWriter, _ *http.Request) {
	lock.Lock()
	told := all
	all = []seen{}
	lock.Unlock()
	json.NewEncoder(response).Encode(told)
}

func main() {
	asked, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	control, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("http://%s http://%s\n", asked.Addr(), control.Addr())
	// Exits with the process that started it, however that one ends.
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	go http.Serve(control, http.HandlerFunc(tell))
	panic(http.Serve(asked, http.HandlerFunc(answer)))
}

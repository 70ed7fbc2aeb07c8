package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// The parsed proto files; no generated code is used.
type protocol struct {
	method string
	frame  protoreflect.MessageDescriptor
}

func readProtocol(ctx context.Context, folder string) (*protocol, error) {
	compiler := protocompile.Compiler{Resolver: &protocompile.SourceResolver{ImportPaths: []string{folder}}}
	files, err := compiler.Compile(ctx, "fleetshift/v1/channel.proto")
	if err != nil {
		return nil, fmt.Errorf("read the proto files: %w", err)
	}
	method := files[0].Services().ByName("ChannelService").Methods().ByName("Channel")
	name := fmt.Sprintf("/%s/%s", method.Parent().FullName(), method.Name())
	return &protocol{method: name, frame: method.Input()}, nil
}

// The frames used here, in protobuf's JSON form: 64-bit integers are strings.
type frame struct {
	Open    *open    `json:"open,omitempty"`
	Opened  *opened  `json:"opened,omitempty"`
	Message *message `json:"message,omitempty"`
	Chunk   *chunk   `json:"chunk,omitempty"`
	Ack     *ack     `json:"ack,omitempty"`
	Close   *closing `json:"close,omitempty"`
}

type open struct {
	Version       uint   `json:"version"`
	OldestVersion uint   `json:"oldestVersion"`
	Session       string `json:"session"`
	Channel       string `json:"channel"`
	Mode          string `json:"mode"`
	Process       string `json:"process"`
	Memory        memory `json:"memory"`
	Window        window `json:"window"`
}

type opened struct {
	Version uint   `json:"version"`
	Session string `json:"session"`
}

type memory struct {
	Incarnation string `json:"incarnation"`
}

type window struct {
	Messages uint   `json:"messages"`
	Bytes    uint64 `json:"bytes,string"`
}

type message struct {
	ID          uint64 `json:"id,string"`
	Key         string `json:"key,omitempty"`
	Payload     []byte `json:"payload,omitempty"`
	ChunkedSize uint64 `json:"chunkedSize,string,omitempty"`
	Sha256      []byte `json:"sha256,omitempty"`
}

type chunk struct {
	ID     uint64 `json:"id,string"`
	Offset uint64 `json:"offset,string"`
	Data   []byte `json:"data"`
}

type ack struct {
	IDs []string `json:"ids"`
}

type closing struct {
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

func (p *protocol) encode(frame frame) (*dynamicpb.Message, error) {
	text, err := json.Marshal(frame)
	if err != nil {
		return nil, err
	}
	encoded := dynamicpb.NewMessage(p.frame)
	return encoded, protojson.Unmarshal(text, encoded)
}

func (p *protocol) decode(encoded *dynamicpb.Message) (frame, error) {
	var decoded frame
	text, err := protojson.Marshal(encoded)
	if err != nil {
		return decoded, err
	}
	return decoded, json.Unmarshal(text, &decoded)
}

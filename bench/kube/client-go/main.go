// The same few lines as our-program.ts, with client-go: its own rate limits off, JSON on the wire. Reads the orders of
// orders.ts from its argument and prints the outcome.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	corev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	listChunk      = 500
	appliedObjects = 100
	fieldManager   = "bench"
)

type orders struct {
	Kubeconfig string `json:"kubeconfig"`
	Namespace  string `json:"namespace"`
	Task       struct {
		Kind    string  `json:"kind"`
		Since   string  `json:"since"`
		Count   int     `json:"count"`
		Seconds float64 `json:"seconds"`
		Width   int     `json:"width"`
		Rounds  int     `json:"rounds"`
	} `json:"task"`
}

type outcome struct {
	Rates         []float64 `json:"rates"`
	Latencies     []float64 `json:"latencies"`
	HeapBytes     int64     `json:"heapBytes"`
	ResidentBytes int64     `json:"residentBytes"`
}

type subject struct {
	kubernetes.Interface
	orders
	ctx       context.Context
	latencies *latencies
}

// Of each apply, in milliseconds.
type latencies struct {
	sync.Mutex
	all []float64
}

func (l *latencies) add(took time.Duration) {
	l.Lock()
	defer l.Unlock()
	l.all = append(l.all, float64(took.Microseconds())/1000)
}

func main() {
	out, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(out)
}

func run() (outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	s := subject{ctx: ctx, latencies: &latencies{all: []float64{}}}
	if err := json.Unmarshal([]byte(os.Args[1]), &s.orders); err != nil {
		return outcome{}, err
	}
	config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig)
	if err != nil {
		return outcome{}, err
	}
	config.QPS = -1
	config.ContentType = "application/json"
	config.AcceptContentTypes = "application/json"
	if s.Interface, err = kubernetes.NewForConfig(config); err != nil {
		return outcome{}, err
	}
	if s.Task.Kind == "cache" {
		return s.measureCache()
	}
	rates := []float64{}
	for round := 0; round <= s.Task.Rounds; round++ {
		if round == 1 {
			// The warm-up does not count.
			s.latencies.all = []float64{}
		}
		begun := time.Now()
		done, err := s.once(round)
		if err != nil {
			return outcome{}, err
		}
		rates = append(rates, float64(done)/time.Since(begun).Seconds())
	}
	return outcome{Rates: rates[1:], Latencies: s.latencies.all, ResidentBytes: residentBytes()}, nil
}

// Returns the number of operations.
func (s subject) once(round int) (int, error) {
	switch s.Task.Kind {
	case "list":
		return s.Task.Count, s.list()
	case "watch":
		return s.Task.Count, s.watch()
	case "apply":
		return s.applyFor(round)
	}
	return 0, fmt.Errorf("no such task: %s", s.Task.Kind)
}

func (s subject) list() error {
	listed := 0
	options := metav1.ListOptions{Limit: listChunk}
	for {
		page, err := s.CoreV1().ConfigMaps(s.Namespace).List(s.ctx, options)
		if err != nil {
			return err
		}
		listed += len(page.Items)
		if options.Continue = page.Continue; page.Continue == "" {
			break
		}
	}
	if listed != s.Task.Count {
		return fmt.Errorf("listed %d of %d", listed, s.Task.Count)
	}
	return nil
}

func (s subject) watch() error {
	options := metav1.ListOptions{ResourceVersion: s.Task.Since, AllowWatchBookmarks: true}
	events, err := s.CoreV1().ConfigMaps(s.Namespace).Watch(s.ctx, options)
	if err != nil {
		return err
	}
	defer events.Stop()
	seen := 0
	for event := range events.ResultChan() {
		if event.Type == watch.Error {
			return fmt.Errorf("watch: %v", event.Object)
		}
		if event.Type == watch.Added {
			seen++
		}
		if seen == s.Task.Count {
			return nil
		}
	}
	return fmt.Errorf("the watch ended after %d events", seen)
}

func (s subject) applyFor(round int) (int, error) {
	until := time.Now().Add(time.Duration(s.Task.Seconds * float64(time.Second)))
	var next atomic.Int64
	var workers sync.WaitGroup
	errs := make(chan error, s.Task.Width)
	for range s.Task.Width {
		workers.Go(func() {
			for time.Now().Before(until) {
				index := int(next.Add(1)) - 1
				begun := time.Now()
				if err := s.apply(index, fmt.Sprintf("%d-%d-%d", os.Getpid(), round, index)); err != nil {
					errs <- err
					return
				}
				s.latencies.add(time.Since(begun))
			}
		})
	}
	workers.Wait()
	close(errs)
	return int(next.Load()), <-errs
}

func (s subject) apply(index int, turn string) error {
	object := corev1.ConfigMap(fmt.Sprintf("applied-%d", index%appliedObjects), s.Namespace).
		WithLabels(map[string]string{"app": "bench"}).
		WithData(map[string]string{"note": strings.Repeat("x", 200), "turn": turn})
	_, err := s.CoreV1().ConfigMaps(s.Namespace).
		Apply(s.ctx, object, metav1.ApplyOptions{FieldManager: fieldManager, Force: true})
	return err
}

// Without managedFields, as our own informers store objects.
func (s subject) measureCache() (outcome, error) {
	if _, err := s.CoreV1().ConfigMaps(s.Namespace).List(s.ctx, metav1.ListOptions{Limit: 1}); err != nil {
		return outcome{}, err
	}
	before := heapAfterCollection()
	trim := func(object any) (any, error) {
		accessor, err := meta.Accessor(object)
		if err != nil {
			return nil, err
		}
		accessor.SetManagedFields(nil)
		return object, nil
	}
	factory := informers.NewSharedInformerFactoryWithOptions(
		s, 0, informers.WithNamespace(s.Namespace), informers.WithTransform(trim))
	informer := factory.Core().V1().ConfigMaps().Informer()
	factory.Start(s.ctx.Done())
	factory.WaitForCacheSync(s.ctx.Done())
	if cached := len(informer.GetStore().ListKeys()); cached != s.Task.Count {
		return outcome{}, fmt.Errorf("the cache has %d of %d", cached, s.Task.Count)
	}
	heap := heapAfterCollection() - before
	runtime.KeepAlive(informer)
	return outcome{Rates: []float64{}, Latencies: []float64{}, HeapBytes: heap, ResidentBytes: residentBytes()}, nil
}

func heapAfterCollection() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func residentBytes() int64 {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, _ := strconv.ParseInt(strings.Fields(string(statm))[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

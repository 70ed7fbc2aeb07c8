package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/dynamicpb"
)

type options struct {
	address, protos, channel string
	version                  uint
	count                    int
}

// The result that the test checks.
type outcome struct {
	Version      uint     `json:"version"`
	Received     []string `json:"received"`
	Acknowledged []string `json:"acknowledged"`
	Closed       *closing `json:"closed"`
}

type conversation struct {
	options  options
	protocol *protocol
	stream   grpc.ClientStream
	partial  map[uint64]*partial
	outcome  outcome
}

type partial struct {
	message message
	bytes   []byte
}

// Answers each of count messages with one of its own, and leaves when all of those are acknowledged.
func talk(ctx context.Context, options options) (*outcome, error) {
	protocol, err := readProtocol(ctx, options.protos)
	if err != nil {
		return nil, err
	}
	connection, err := grpc.NewClient(options.address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	bothWays := &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}
	stream, err := connection.NewStream(ctx, bothWays, protocol.method)
	if err != nil {
		return nil, err
	}
	c := &conversation{options: options, protocol: protocol, stream: stream, partial: map[uint64]*partial{}}
	c.outcome.Received, c.outcome.Acknowledged = []string{}, []string{}
	if err := c.open(); err != nil {
		return nil, err
	}
	return &c.outcome, c.listen()
}

func (c *conversation) open() error {
	return c.send(frame{Open: &open{
		Version:       c.options.version,
		OldestVersion: c.options.version,
		Session:       "a client in another language",
		Channel:       c.options.channel,
		Mode:          "CHANNEL_MODE_RELIABLE",
		Process:       "other-language",
		Memory:        memory{Incarnation: "its first life"},
		Window:        window{Messages: 10, Bytes: 1 << 20},
	}})
}

func (c *conversation) listen() error {
	for {
		encoded := dynamicpb.NewMessage(c.protocol.frame)
		err := c.stream.RecvMsg(encoded)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("receive a frame: %w", err)
		}
		frame, err := c.protocol.decode(encoded)
		if err != nil {
			return err
		}
		if err := c.take(frame); err != nil {
			return err
		}
	}
}

func (c *conversation) take(frame frame) error {
	switch {
	case frame.Opened != nil:
		c.outcome.Version = frame.Opened.Version
	case frame.Message != nil && frame.Message.ChunkedSize > 0:
		c.partial[frame.Message.ID] = &partial{message: *frame.Message}
	case frame.Message != nil:
		return c.received(frame.Message.ID, string(frame.Message.Payload))
	case frame.Chunk != nil:
		return c.takeChunk(*frame.Chunk)
	case frame.Ack != nil:
		c.outcome.Acknowledged = append(c.outcome.Acknowledged, frame.Ack.IDs...)
		return c.leaveWhenDone()
	case frame.Close != nil:
		c.outcome.Closed = frame.Close
		return c.stream.CloseSend()
	}
	return nil
}

func (c *conversation) takeChunk(chunk chunk) error {
	whole := c.partial[chunk.ID]
	if whole == nil || chunk.Offset != uint64(len(whole.bytes)) {
		return fmt.Errorf("a chunk of message %d at %d comes out of turn", chunk.ID, chunk.Offset)
	}
	whole.bytes = append(whole.bytes, chunk.Data...)
	if uint64(len(whole.bytes)) < whole.message.ChunkedSize {
		return nil
	}
	delete(c.partial, chunk.ID)
	if sum := sha256.Sum256(whole.bytes); !bytes.Equal(sum[:], whole.message.Sha256) {
		return fmt.Errorf("message %d has another hash", chunk.ID)
	}
	return c.received(chunk.ID, fmt.Sprintf("%d bytes", len(whole.bytes)))
}

// An acknowledgement means that this end has taken responsibility for the message.
func (c *conversation) received(id uint64, text string) error {
	c.outcome.Received = append(c.outcome.Received, text)
	if err := c.send(frame{Ack: &ack{IDs: []string{fmt.Sprint(id)}}}); err != nil {
		return err
	}
	answer := message{ID: uint64(len(c.outcome.Received)), Key: "answers", Payload: []byte("thank you for " + text)}
	return c.send(frame{Message: &answer})
}

func (c *conversation) leaveWhenDone() error {
	if len(c.outcome.Acknowledged) < c.options.count {
		return nil
	}
	if err := c.send(frame{Close: &closing{Reason: "CLOSE_REASON_DONE"}}); err != nil {
		return err
	}
	return c.stream.CloseSend()
}

func (c *conversation) send(frame frame) error {
	encoded, err := c.protocol.encode(frame)
	if err != nil {
		return err
	}
	return c.stream.SendMsg(encoded)
}

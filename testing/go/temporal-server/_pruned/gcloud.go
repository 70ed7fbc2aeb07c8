// Package gcloud stands in for Temporal's archiver for Google Cloud Storage, whose SDK takes long to compile.
package gcloud

import (
	"errors"

	"go.temporal.io/server/common/archiver"
)

const URIScheme = "gs"

var errPruned = errors.New("this build has no archiver for Google Cloud Storage")

func NewHistoryArchiver(...any) (archiver.HistoryArchiver, error) { return nil, errPruned }

func NewVisibilityArchiver(...any) (archiver.VisibilityArchiver, error) { return nil, errPruned }

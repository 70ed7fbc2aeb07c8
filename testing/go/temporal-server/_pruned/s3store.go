// Package s3store stands in for Temporal's archiver for S3, whose SDK takes long to compile.
package s3store

import (
	"errors"

	"go.temporal.io/server/common/archiver"
)

const URIScheme = "s3"

var errPruned = errors.New("this build has no archiver for S3")

func NewHistoryArchiver(...any) (archiver.HistoryArchiver, error) { return nil, errPruned }

func NewVisibilityArchiver(...any) (archiver.VisibilityArchiver, error) { return nil, errPruned }

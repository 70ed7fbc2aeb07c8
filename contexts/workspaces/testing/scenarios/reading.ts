import { timeOf } from '../workspace-api.ts';
import {
  ALL,
  created,
  filtered,
  given,
  gone,
  listed,
  patch,
  post,
  refused,
  type Scenario,
  seen,
  there,
  updated,
} from './steps.ts';

export const READING: readonly Scenario[] = [
  {
    why: 'who has it already gets no body',
    steps: [
      ...given('web'),
      there('web'),
      { call: `GET ${ALL}/web`, headers: { 'if-none-match': '"{etag}"' }, want: { status: 304 } },
      { call: `GET ${ALL}/web`, headers: { 'if-none-match': '"2-000000000001"' }, want: { status: 200 } },
    ],
  },
  {
    why: 'what is not there is not found, and what cannot be there is not asked for',
    steps: [
      gone('web'),
      { call: `GET ${ALL}/Web`, want: refused(400, { code: 'validationFailed', faults: ['path/workspace'] }) },
    ],
  },
  {
    why: 'the root is there, in a list like any other, and is in nothing',
    steps: [there('root'), listed('', 'root'), filtered('parent == "root"'), filtered('name == "root"', 'root')],
  },
  {
    why: 'a list is in the order of names, page by page',
    steps: [
      ...given('c', 'a', 'b in c', 'a-b', 'a0'),
      listed('', 'a', 'a-b', 'a0', 'b', 'c', 'root'),
      listed('pageSize=4', 'a', 'a-b', 'a0', 'b'),
      listed('pageSize=4&pageToken={nextPageToken}', 'c', 'root'),
    ],
  },
  {
    why: 'a list of what is in a workspace has its children and nothing below them',
    steps: [
      ...given('c', 'b in c', 'a in c', 'd in a'),
      listed('parent=c', 'a', 'b'),
      listed('parent=root', 'c'),
      listed('parent=d'),
      listed('parent=nobody'),
      listed('parent=c&pageSize=1', 'a'),
      listed('parent=c&pageSize=1&pageToken={nextPageToken}', 'b'),
    ],
  },
  {
    why: 'a list of a subtree has all that is below, and not its top',
    steps: [
      ...given('c', 'b in c', 'a in b', 'd'),
      listed('parent=c&subtree=true', 'a', 'b'),
      listed('parent=c&subtree=false', 'b'),
      listed('subtree=true', 'a', 'b', 'c', 'd', 'root'),
      listed('parent=root&subtree=true&pageSize=1', 'a'),
      listed('parent=root&subtree=true&pageSize=2&pageToken={nextPageToken}', 'b', 'c'),
    ],
  },
  {
    why: 'what the caller may not see is in no list, and makes no page shorter',
    steps: [
      ...given('a', 'b', 'c in b', 'd in c', 'e', 'f in a'),
      seen('sees.b', '', 'b', 'c', 'd'),
      seen('sees.b', 'pageSize=2', 'b', 'c'),
      seen('sees.b', 'pageSize=2&pageToken={nextPageToken}', 'd'),
      seen('sees.c.e', 'parent=root', 'e'),
      seen('sees.c.e', 'parent=b', 'c'),
      seen('sees.c.e', 'parent=a'),
      seen('sees.c.e', 'parent=b&subtree=true', 'c', 'd'),
      seen('sees.nobody', ''),
      seen('sees.b', `filter=${encodeURIComponent('name != "c"')}`, 'b', 'd'),
    ],
  },
  {
    why: 'a page goes on where it came from, and nowhere else',
    steps: [
      ...given('a', 'b'),
      listed('parent=root&pageSize=1', 'a'),
      { call: `GET ${ALL}?parent=a&pageToken={nextPageToken}`, want: refused(400, { code: 'invalidPageToken' }) },
      { call: `GET ${ALL}?parent=No`, want: refused(400, { code: 'validationFailed', faults: ['query/parent'] }) },
    ],
  },
  {
    why: 'a filter sees what the API shows',
    steps: [
      post({ body: { name: 'a', labels: { env: 'prod' } } }, created('a')),
      post({ body: { name: 'b', labels: { env: 'test' }, displayName: 'Büro' } }, created('b')),
      ...given('c in a'),
      patch('a', { body: { displayName: 'A' } }, updated('a')),
      filtered('labels.env == "prod"', 'a'),
      filtered('labels["env"] != "prod"', 'b'),
      filtered('name.startsWith("c") || displayName == "Büro"', 'b', 'c'),
      filtered('parent == "a"', 'c'),
      filtered('kind == "folder" && name != "root"', 'a', 'b', 'c'),
      filtered(`createTime >= timestamp("${timeOf(2)}") && name != "root"`, 'b', 'c'),
      filtered(`updateTime == timestamp("${timeOf(4)}")`, 'a'),
      {
        call: `GET ${ALL}?filter=${encodeURIComponent('secret == "x"')}`,
        want: refused(400, { code: 'invalidFilter', faults: ['query/filter'] }),
      },
    ],
  },
];

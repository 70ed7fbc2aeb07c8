import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '#kit/std';
import { valueOfText } from '../testing/a-template.ts';

describe('expressions', () => {
  const values: JsonObject = {
    n: 2,
    text: 'Web',
    list: ['a', 'b'],
    object: { b: 1, a: null },
    none: null,
    'a-b': 'dash',
    tag: '1.2',
    on: true,
  };
  for (const { text, want, why } of [
    { text: '${values.n}', want: 2, why: 'one alone keeps its type' },
    { text: '${values.object}', want: { b: 1, a: null }, why: 'a whole object can be put in' },
    { text: 'v${values.tag}-${values.n}', want: 'v1.2-2', why: 'among text it becomes text' },
    { text: '$${values.n} costs ${values.n}', want: '${values.n} costs 2', why: 'two dollars are none' },
    { text: '${"}"}', want: '}', why: 'a brace in quotes does not close' },
    { text: "${'it\\'s\\n'}", want: "it's\n", why: 'escapes' },
    { text: '${values["a-b"]}', want: 'dash', why: 'any name in brackets' },
    { text: '${values.list[1]}', want: 'b', why: 'lists by number' },
    { text: '${values.none}', want: null, why: 'null is a value' },
    { text: '${1 + 2 * 3 - 4 / 2 % 3}', want: 5, why: 'the usual order of operations' },
    { text: '${-values.n + 3}', want: 1, why: 'minus' },
    { text: '${10 - 3 - 2}', want: 5, why: 'from left to right' },
    { text: '${(1 + 2) * 3}', want: 9, why: 'brackets' },
    { text: '${1 < 2 && !(2 <= 1) || false}', want: true, why: 'logic' },
    { text: '${false && values.nothing}', want: false, why: 'what does not matter is not looked at' },
    { text: '${values.on ? "yes" : values.nothing}', want: 'yes', why: 'nor is the other branch' },
    { text: '${values.n == "2" ? 1 : values.n != 2 ? 2 : 3}', want: 3, why: 'a number is no text' },
    { text: '${values.object == values.object}', want: true, why: 'objects are compared by what is in them' },
    { text: '${default(values.nothing.at.all, "d")}', want: 'd', why: 'default for what is not there' },
    { text: '${default(values.none, "d")}', want: null, why: 'null is there' },
    { text: '${default(namespace, "apps")}', want: 'apps', why: 'a variable may be absent' },
    { text: '${has(values.n) && !has(values.m)}', want: true, why: 'has' },
    { text: '${lower(values.text)}${upper("x")}${trim(" y ")}', want: 'webXy', why: 'lower, upper, trim' },
    { text: '${replace("a.b.c", ".", "-")}', want: 'a-b-c', why: 'replace takes text, and all of it' },
    { text: '${split("a,b", ",")[1]}', want: 'b', why: 'split, and an item of what a function gave' },
    { text: '${join(values.list, "-")}', want: 'a-b', why: 'join' },
    { text: '${truncate("añb😀c", 4)}', want: 'añb😀', why: 'characters, never half of one' },
    { text: '${length("😀") + length(values.list) + length(values.object)}', want: 5, why: 'length' },
    { text: '${contains(values.list, "a") && contains("abc", "bc")}', want: true, why: 'contains' },
    { text: '${startsWith("abc", "ab") && endsWith("abc", "bc")}', want: true, why: 'startsWith, endsWith' },
    { text: '${number("12.5") + number(1)}', want: 13.5, why: 'number' },
    { text: '${string(values.n)}', want: '2', why: 'string' },
    { text: '${json(values.object)}', want: '{"a":null,"b":1}', why: 'json has one order of keys' },
    { text: '${base64("hé")}', want: 'aMOp', why: 'base64 of UTF-8' },
    { text: '${truncate(hash(values.list), 8)}', want: '0473ef2d', why: 'hash of any value' },
    { text: '${keys(values.object)}', want: ['a', 'b'], why: 'keys in order' },
    { text: '${merge(values.object, target.properties.region)}', want: { b: 1, a: null, name: 'eu' }, why: 'merge' },
    { text: '${target.name}/${target.labels["topology/zone"]}', want: 'edge-1/a', why: 'target fields' },
    { text: '${target.properties.pools[0].name}', want: 'p0', why: 'target properties' },
    { text: '${deployment.workspace}/${deployment.name}@${revision}', want: 'shop/web@7', why: 'the deployment' },
    { text: '${config.level}', want: 'info', why: 'config' },
  ]) {
    test(`${why}: ${text}`, () => assert.deepEqual(valueOfText(text, values), want));
  }
});

// The history of a resource.
import * as Type from 'typebox'
import { mark, text, sample, view } from './view.js'

const cause = Type.Union([Type.Integer(), Type.Array(Type.Integer())], {
  description: 'Index of the commit that led to this one, or of several'
})

const origin = view('VersionOrigin', {
  AccessorID: text('Token that asked; empty for the server itself'),
  TokenName: text('Description of that token, if it still is'),
  Address: text('Where the request came from'),
  RequestID: text('X-Service-Request-Id, or a name that the server gave'),
  Command: text('What was asked for, such as UpdateToken'),
  Reason: text('What the caller gave as its reason'),
  ChangeSet: text('ID of the change set of the commit'),
  Owner: text('Owner label that the change set declares for its resources'),
  Cause: Type.Optional(cause),
  Erased: mark('Who it was has been erased')
})

/** An operation of RFC 6902. */
export const patchOperation = view('PatchOperation', {
  op: Type.String({ description: 'add, remove or replace' }),
  path: Type.String({ description: 'JSON Pointer; empty for the whole' }),
  value: Type.Optional(Type.Unknown())
})

/** The answer of a read with `diff`. */
export const jsonPatch = Type.Array(patchOperation, {
  $id: 'JsonPatch',
  description: 'JSON Patch (RFC 6902) that makes the later answer of the earlier one',
  examples: [[{ op: 'replace', path: '/Description', value: 'for the web servers' }]]
})

const ORIGIN = {
  AccessorID: '14fae9d6-bf21-4003-8506-0d2ff1b0e0a4',
  TokenName: 'deploys',
  Address: '192.0.2.7',
  RequestID: '4711-9',
  Command: 'SetKey'
}
const patchTo = (Value: string, ModifyIndex: number) => [
  { op: 'replace', path: '/KV/Value', value: Value },
  { op: 'replace', path: '/KV/ModifyIndex', value: ModifyIndex }
]
const time = Type.String({ format: 'date-time', description: 'When the commit was made' })
const patch = Type.Array(patchOperation, {
  description:
    'JSON Patch (RFC 6902) that makes of the payload before this one; without one before, of nothing'
})

/** The version of a resource that one commit created. */
export const version = view('Version', {
  Index: sample.integer(42, 'Of the commit'),
  Time: sample.of('2026-03-01T12:00:00Z', Type.Optional(time)),
  Type: sample.text('KVSet', 'Type of the event, such as KVSet'),
  By: sample.of(ORIGIN, Type.Optional(origin)),
  Patch: sample.of(patchTo('ODA4MQ==', 42), Type.Optional(patch)),
  Payload: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'The whole, as the event stream shows it' })
  ),
  Erased: mark('What it said has been erased'),
  Withheld: mark(
    'The token has no permission to read the version by its own names, or had none then, which counts by `history.rights`'
  ),
  Base: mark('Earlier versions were pruned; this is the last of them')
})

/** A commit among those of which there are answers. */
export const pointInTime = view('Moment', {
  Index: sample.integer(42, 'Of the commit'),
  Time: sample.of(
    '2026-01-27T11:58:03.512Z',
    Type.String({ format: 'date-time', description: 'When it was made' })
  ),
  Oldest: sample.integer(1, 'The oldest index of which there are answers'),
  Newest: sample.integer(57, 'The newest index')
})

/** Numbers of commits over time. */
export const commitRate = view('CommitRate', {
  Since: sample.of(
    '2026-01-27T11:00:00Z',
    Type.String({ format: 'date-time', description: 'Start of the first interval' })
  ),
  Until: sample.of(
    '2026-01-27T12:00:00Z',
    Type.String({ format: 'date-time', description: 'End of the last interval' })
  ),
  Counts: sample.of(
    [0, 3, 1],
    Type.Array(Type.Integer(), { description: 'Commits of each interval, the oldest first' })
  )
})

export const searchHit = view('SearchHit', {
  Topic: sample.of('ACLPolicy', Type.String({ description: 'Kind of the resource, as in the event stream' })),
  Key: sample.of(
    '2b2b769b-e960-463b-99ea-0d2ff1b0e0a4',
    Type.String({ description: 'Key in the event stream' })
  ),
  Name: sample.of('web-read', Type.String({ description: 'Name or description; the key without either' })),
  Namespace: sample.of('default', Type.String({ description: 'Empty for resources without a namespace' })),
  Partition: sample.of('default', Type.String()),
  Node: Type.Optional(Type.String({ description: 'Of services and checks, if the token may read it' })),
  Index: sample.integer(42, 'Of the last change')
})

export const eventHead = view('RevertedEvent', {
  Topic: Type.String(),
  Type: Type.String(),
  Key: Type.String(),
  Namespace: Type.String(),
  Partition: Type.String()
})

const refusal = view('RevertRefusal', {
  Status: Type.Integer({ description: 'Status that the request would be answered with' }),
  Message: Type.String()
})

const index = Type.Integer({
  description: 'Of the commit; absent when nothing was to be changed, and in a dry run'
})
const changes = Type.Array(patchOperation, {
  description: 'Changes of the resource, as a patch of its payload in the stream'
})

export const reverted = view('Reverted', {
  Index: sample.of(57, Type.Optional(index)),
  DryRun: Type.Optional(Type.Literal(true)),
  Undone: sample.integer(50, 'Commit that changed the resource last'),
  To: sample.integer(42, 'Commit whose content it has again; the index asked for, if there was nothing then'),
  Patch: sample.of(patchTo('ODA4MA==', 57), changes),
  Others: sample.of([], Type.Array(eventHead, { description: 'Changes of other resources by the commit' })),
  Refusal: Type.Optional(refusal)
})

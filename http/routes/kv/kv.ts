// KV entries (spec: state.md §4).
import { refusedWith, json, jsonText, type Responding, type RouteResponse } from '../../wire/response.js'
import * as Type from 'typebox'
import type { KvCommand } from '../../../actors/kv.js'
import { KeyTreeDeletion, UNPREPARED_KEYS } from '../../../actors/kv-tree.js'
import { invalid, Refusal } from '../../../actors/refusal.js'
import type { Tenancy } from '../../../events/envelope.js'
import { KV_TOPIC } from '../../../events/kv.js'
import { kvWatchKey } from '../../../projections/kv/kv.js'
import type { KvRow } from '../../../projections/kv/kv-row.js'
import type { WatchName } from '../../../projections/watch.js'
import { respondToRead, type ListState, type ReadState } from '../../wire/reads/blocking.js'
import { filteredHeaders } from '../../wire/reads/filter.js'
import { pageLimit } from '../../wire/reads/page.js'
import type { SerializedLists } from '../../wire/reads/serialized-lists.js'
import { listEntries, listLockedKeys, listKeys, type KvList } from './kv-list.js'
import type { Steps } from '../../../projections/steps.js'
import { historyOfResource, resourceIn, resourcesIn } from '../../wire/history-declaration.js'
import type { RequestContext } from '../../wire/request-context.js'
import { requires, route, type Route } from '../../wire/route.js'
import { present, unsigned64 } from '../../wire/query.js'
import { kvResponse } from '../../schemas/kv.js'
import { ALL_NAMESPACES } from '../../wire/tenancy.js'
import { unsigned } from '../../wire/bodies/json-parsing.js'

const LONGEST_KEY = 8192
const facts = { tag: 'KV', path: '/v1/kv/*key' } as const
const RAW_HEADERS = ['X-Content-Type-Options', 'nosniff', 'Content-Security-Policy', 'sandbox']

/** Returns the key in the path. @throws Refusal `invalid` */
const keyOf = (request: RequestContext): string => {
  const key = request.param('key')
  if (key.length > LONGEST_KEY)
    throw invalid('kv.invalid', `The key is longer than ${LONGEST_KEY} characters`)
  return key
}

/** @throws Refusal `invalid` for an empty key */
const requireKey = (key: string): string => {
  if (key === '') throw invalid('kv.invalid', 'Missing key name')
  return key
}

const LISTS = ['keys', 'held', 'recurse']
const isList = ({ query }: RequestContext): boolean => LISTS.some(name => query.has(name))

const rawAnswer = (row: KvRow): RouteResponse => ({
  status: 200,
  body: Buffer.from(row.value ?? '', 'base64'),
  type: 'text/plain',
  headers: RAW_HEADERS
})

/** The state of a read of one key. Only blocking queries compute the watch key. */
class KeyReading implements ReadState {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly key: string,
    readonly index: number,
    readonly answer: RouteResponse
  ) {}

  get watch(): readonly WatchName[] {
    return [kvWatchKey(this.tenancy, this.key)]
  }
}

const readOne = (request: RequestContext, key: string): RouteResponse | Promise<RouteResponse> => {
  requireKey(key)
  const isRaw = !request.query.isEmpty && request.query.has('raw')
  return respondToRead(request, () => {
    const { tenancy } = request
    if (tenancy.namespace === ALL_NAMESPACES)
      throw invalid(
        'kv.invalid',
        'Bad request: Invalid namespace "*": a wildcard is allowed only with recurse or keys'
      )
    request.require('key', 'read', key, tenancy)
    const { kv } = request.views
    const row = kv.get(tenancy, key)
    if (!row)
      return new KeyReading(
        tenancy,
        key,
        kv.indexOf(tenancy),
        refusedWith('kv.not-found', `Key "${key}" does not exist`)
      )
    return new KeyReading(tenancy, key, row.modifyIndex, isRaw ? rawAnswer(row) : jsonText(row.listJson))
  })
}

const nothing = ({ query }: RequestContext, prefix: string): string => {
  const after = query.filled('after')
  return after === undefined
    ? `No key begins with "${prefix}"`
    : `No key after "${after}" begins with "${prefix}"`
}

const readList = (
  request: RequestContext,
  prefix: string,
  list: (r: RequestContext, prefix: string, lists: SerializedLists) => KvList,
  lists: SerializedLists
) =>
  respondToRead(request, (): ListState => {
    const { index, watch, steps } = list(request, prefix, lists)
    const answer = function* (): Steps<RouteResponse> {
      const { isEmpty, body, isFiltered, headers: links } = yield* steps
      const headers = [...filteredHeaders(request, isFiltered), ...links]
      // Key names of an empty store and held locks without a holder are an empty list.
      const isNothing = isEmpty && list !== listLockedKeys && (prefix !== '' || list === listEntries)
      return isNothing
        ? refusedWith('kv.not-found', nothing(request, prefix), headers)
        : jsonText(body, headers)
    }
    return { index, watch, steps: answer() }
  })

/** The conflicts that a conditional write reports as `false`. */
const CONDITION_CODES: ReadonlySet<string | undefined> = new Set(['stale', 'locked'])

const TRUE = json(true)
const FALSE = json(false)

/** Returns `true`; `false` if the condition of the write fails or another session has the lock. */
const write = (request: RequestContext, command: KvCommand): RouteResponse => {
  try {
    // The deletion of a tree has no single key.
    const key = 'key' in command.data ? command.data.key : ''
    const { partition, namespace } = command.tenancy
    return request.write({ kind: KV_TOPIC, partition, namespace, key }, command, () => TRUE)
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== 'conflict' || !CONDITION_CODES.has(error.operationCode))
      throw error
    return FALSE
  }
}

const MODES = ['cas', 'acquire', 'release'] as const

const putCommand = (request: RequestContext, key: string): KvCommand => {
  const { query } = request
  const { body } = request
  const value = body && body.length > 0 ? body.toString('base64') : null
  if (query.isEmpty) return request.command('SetKey', { key, value, flags: '0' })
  const [mode, other] = MODES.filter(name => query.has(name))
  if (other !== undefined)
    throw invalid('kv.invalid', `Conflicting flags: ${mode} and ${other} exclude each other`)
  const flags = query.has('flags') ? String(unsigned('flags', query.get('flags') ?? '')) : '0'
  const content = { key, value, flags }
  if (mode === undefined) return request.command('SetKey', content)
  const argument = query.get(mode) ?? ''
  switch (mode) {
    case 'cas':
      return request.command('CasKey', { ...content, index: unsigned('cas', argument) })
    case 'acquire':
      return request.command('LockKey', { ...content, session: argument })
    case 'release':
      return request.command('UnlockKey', { ...content, session: argument })
  }
}

const removeTree = (request: RequestContext, prefix: string): Responding => {
  const { views, tenancy } = request
  const decide = (prepared?: KeyTreeDeletion): RouteResponse => {
    request.require('key', 'write-prefix', prefix)
    return write(request, request.command('DeleteKeyTree', { prefix, prepared }))
  }
  if (views.kv.sizeUnder(tenancy, prefix) <= UNPREPARED_KEYS) return decide()
  request.require('key', 'write-prefix', prefix)
  const deletion = new KeyTreeDeletion(views.kv, tenancy, prefix)
  return request.runBeside(deletion.prepare()).then(() => {
    // The token may have lost its permission meanwhile.
    request.forgetAuthority()
    return decide(deletion)
  })
}

const remove = (request: RequestContext): Responding => {
  const { query } = request
  const key = keyOf(request)
  const isTree = query.has('recurse')
  if (isTree && query.has('cas'))
    throw invalid('kv.invalid', 'Conflicting flags: recurse and cas exclude each other')
  if (isTree) return removeTree(request, key)
  requireKey(key)
  request.require('key', 'write', key)
  return write(
    request,
    query.has('cas')
      ? request.command('CasDeleteKey', { key, index: unsigned('cas', query.get('cas') ?? '') })
      : request.command('DeleteKey', { key })
  )
}

const readRoute = (lists: SerializedLists): Route =>
  route({
    ...facts,
    method: 'GET',
    access: requires('key:read', 'on the key; of a list those entries are left out that may not be read'),
    blocking: true,
    consistency: 'all',
    tenancy: 'many',
    isConfined: true,
    isPaged: true,
    operationId: 'readKey',
    summary: 'Read a key, the entries below a prefix, or the names of the keys below it',
    past: historyOfResource(
      request => (isList(request) ? undefined : resourceIn(request, KV_TOPIC, keyOf(request))),
      request => (isList(request) ? [resourcesIn(request, [KV_TOPIC], 'namespace', keyOf(request))] : [])
    ),
    query: {
      raw: present('The value alone, as it was written'),
      recurse: present('All entries whose keys begin with the key given'),
      keys: present('The names of all keys that begin with the key given'),
      held: present('Of all entries whose keys begin with the key given those that a session holds as locks'),
      separator: 'With keys: cut each name after the first separator, and show it once',
      limit: pageLimit(
        'With recurse, held or keys: the most elements of the answer; the header Link leads to the next ones'
      ),
      after:
        'With recurse, held or keys: only what comes after this key or cut name; of all namespaces `namespace/key`'
    },
    response: kvResponse,
    rawResponse: {
      type: 'text/plain',
      description: 'With raw: the value, as it was written',
      example: '8080'
    },
    handle: request => {
      const key = keyOf(request)
      const { query } = request
      if (query.isEmpty) return readOne(request, key)
      if (query.has('keys')) return readList(request, key, listKeys, lists)
      if (query.has('held')) return readList(request, key, listLockedKeys, lists)
      if (query.has('recurse')) return readList(request, key, listEntries, lists)
      return readOne(request, key)
    }
  })

export const kvRoutes = (lists: SerializedLists): readonly Route[] => [
  readRoute(lists),
  route({
    ...facts,
    method: 'PUT',
    access: requires('key:write', 'on the key'),
    bodyLimit: 'kv_max_value_size',
    rawBody: { type: 'application/octet-stream', description: 'The value', example: '8080' },
    operationId: 'writeKey',
    summary: 'Write a key; the body is the value',
    query: {
      flags: unsigned64('Means something to the caller'),
      cas: unsigned64('Write only if the entry has this ModifyIndex; 0: only if there is none'),
      acquire: 'Take the lock for this session',
      release: 'Give back the lock of this session'
    },
    response: Type.Boolean(),
    handle: request => {
      const key = requireKey(keyOf(request))
      request.require('key', 'write', key)
      return write(request, putCommand(request, key))
    }
  }),
  route({
    ...facts,
    method: 'DELETE',
    access: requires('key:write', 'on the key; with recurse on everything below it'),
    operationId: 'deleteKey',
    summary: 'Delete a key, or all that begin with it',
    query: {
      recurse: present('All keys that begin with the key given'),
      cas: unsigned64('Delete only if the entry has this ModifyIndex')
    },
    response: Type.Boolean(),
    handle: remove
  })
]

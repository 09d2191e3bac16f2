// Transactions (spec: state.md §3).
import {
  CODE_HEADER,
  JSON_TYPE,
  jsonText,
  type Responding,
  type RouteResponse,
  type Body
} from '../../wire/response.js'
import { inCluster } from '../../../actors/ref.js'
import { invalid, Refusal } from '../../../actors/refusal.js'
import {
  operationOf,
  type ApplyTransaction,
  type OperationInput,
  decideTransaction,
  TransactionRefused
} from '../../../actors/transaction/transaction.js'
import { prepareTrees, readKeys } from '../../../actors/transaction/kv.js'
import { UNPREPARED_KEYS } from '../../../actors/kv-tree.js'
import type { Operation, Result } from '../../../actors/transaction/operation.js'
import { BytePieces } from '../../../projections/byte-pieces.js'
import { runAtOnce, StepPace, type Steps } from '../../../projections/steps.js'
import { readOptions } from '../../wire/reads/blocking.js'
import { parseExact } from '../../wire/bodies/json-parsing.js'
import { serializedRows } from '../../wire/reads/json-list.js'
import { contactHeaders, type PeerContact } from '../../wire/contact.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, bodyRoute, type Route } from '../../wire/route.js'
import { transactionResponse, transactionBody, transactionRefused } from '../../schemas/txn.js'
import { remotePrimary } from '../../../server/settings/datacenters.js'
import { operationsOf } from './operations.js'

/** Returns the further fields of a read-only transaction's response. */
const readFields = ({ isLeaderKnown, lastContact }: PeerContact): string =>
  `,"Index":1,"LastContact":${lastContact},"KnownLeader":${isLeaderKnown},"ConsistencyLevel":"","NotModified":false,"Backend":0`

/** From this number of results on, the response is built as bytes, which saves three copies of the text. */
const MANY = 100

/** @param showsFiltering true if the response may show that results were left out, as `filteredHeaders` does for lists */
function* success(results: readonly Iterable<Result>[], further = '', showsFiltering = false): Steps<Body> {
  const shown: string[] = []
  const pace = new StepPace()
  let isFiltered = false
  for (const ofOperation of results)
    for (const { json, isReadable } of ofOperation) {
      if (isReadable) shown.push(json)
      else isFiltered = showsFiltering
      if (pace.isOver(json.length)) yield
    }
  const rest = `,"Errors":null${further}${isFiltered ? ',"ResultsFilteredByACLs":true' : ''}}`
  if (shown.length < MANY) return `{"Results":[${shown.join(',')}]${rest}`
  const { pieces } = yield* serializedRows(shown, json => json)
  return new BytePieces([Buffer.from('{"Results":'), ...pieces, Buffer.from(rest)])
}

/** @param contact for a read-only transaction */
const rolledBack = ({ code, errors }: TransactionRefused, contact?: PeerContact): RouteResponse => ({
  status: 409,
  body: `{"Results":null,"Errors":${JSON.stringify(errors)}${contact ? readFields(contact) : ''}}`,
  type: JSON_TYPE,
  headers: [CODE_HEADER, code, ...(contact ? contactHeaders(contact) : [])]
})

const read = (request: RequestContext, command: ApplyTransaction): Responding => {
  const { views, contact } = request
  const { generation } = views
  const respond = (body: Body): RouteResponse => jsonText(body, contactHeaders(contact))
  try {
    const { results } = decideTransaction(command, views, views.index + 1)
    const body = request.runInChunks(
      success(results, readFields(contact), request.presentedSecret !== undefined)
    )
    if (!(body instanceof Promise)) return respond(body)
    return body.then(completed => {
      // The state before a rebuild may not be in the log.
      if (views.generation === generation) return respond(completed)
      throw new Refusal('read.unavailable', 'The read models were rebuilt during the read: try again')
    })
  } catch (error) {
    if (error instanceof TransactionRefused) return rolledBack(error, contact)
    throw error
  }
}

const apply = (request: RequestContext, command: ApplyTransaction): Responding => {
  let body: Body | Promise<Body> = ''
  try {
    const response = request.write(inCluster('Transaction', request.id), command, ({ results }) => {
      const steps = success(results)
      body = request.isKeyed ? runAtOnce(steps) : request.runInChunks(steps)
      return jsonText(body instanceof Promise ? '' : body)
    })
    return withLaterBody(request, response, body)
  } catch (error) {
    if (!(error instanceof TransactionRefused)) throw error
    return rolledBack(error)
  }
}

/** Returns the response with a body that may be created in later turns. The commit becomes durable, or fails, meanwhile. */
const withLaterBody = (
  { committer }: RequestContext,
  response: RouteResponse,
  body: Body | Promise<Body>
): Responding =>
  body instanceof Promise
    ? Promise.all([body, committer.durable()]).then(([created]) => ({ ...response, body: created }))
    : response

/** @throws Refusal `invalid` for a write whose stored response would hold many keys */
const refuseLongStored = (request: RequestContext, operations: readonly Operation[]): void => {
  const keys = request.isKeyed ? readKeys(operations, request.views.kv) : 0
  if (keys > UNPREPARED_KEYS)
    throw invalid(
      'txn.invalid',
      `The response of a write with an idempotency key is stored: its get-tree operations may read ${UNPREPARED_KEYS} keys, not ${keys}`
    )
}

/** @throws Refusal `invalid` for writes that only another, primary datacenter may execute */
const refuseOfPrimary = (
  { settings }: RequestContext,
  inputs: readonly OperationInput[],
  operations: readonly Operation[]
): void => {
  const primary = remotePrimary(settings)
  if (primary === undefined) return
  const at = operations.findIndex(({ isWrite }, i) => isWrite && inputs[i]?.kind === 'ConfigEntry')
  if (at >= 0)
    throw invalid(
      'txn.invalid',
      `Operation ${at} writes a configuration entry, which is written in the primary datacenter: send the transaction there (dc=${primary})`
    )
}

export const transactionRoutes: readonly Route[] = [
  bodyRoute({
    tag: 'Transactions',
    method: 'PUT',
    path: '/v1/txn',
    access: anyToken('for each operation the right on what it is about; key, node, service, entry'),
    consistency: 'all',
    operationId: 'applyTransaction',
    summary: 'Apply operations all together or not at all',
    bodyLimit: 'txn_max_body_bytes',
    body: {
      schema: transactionBody,
      name: 'Transaction',
      failure: 'Failed to parse body',
      parse: text => parseExact(text) ?? []
    },
    response: transactionResponse,
    outcomes: {
      409: { description: 'Nothing was applied: an operation failed', response: transactionRefused }
    },
    handle: (request, body) => {
      const inputs = operationsOf(request, body)
      const operations = inputs.map(operationOf)
      refuseOfPrimary(request, inputs, operations)
      const isReadOnly = !operations.some(({ isWrite }) => isWrite)
      if (isReadOnly) readOptions(request)
      const decide = (): Responding => {
        // Rejects an unknown token for all operations.
        if (!request.authority) throw new Refusal('txn.denied', 'ACL not found')
        const command = request.command('ApplyTransaction', { operations, rights: request })
        if (isReadOnly) return read(request, command)
        refuseLongStored(request, operations)
        return apply(request, command)
      }
      const preparation = request.authority && prepareTrees(operations, request.views.kv, request)
      if (!preparation) return decide()
      return request.runBeside(preparation).then(() => {
        // The token may have lost its permissions meanwhile.
        request.forgetAuthority()
        return decide()
      })
    }
  })
]

// Transactions (spec: state.md §3).
import { CODE_HEADER, JSON_TYPE, jsonText, type RouteResponse, type Body } from '../../wire/response.js'
import { inCluster } from '../../../actors/ref.js'
import { invalid, Refusal } from '../../../actors/refusal.js'
import {
  operationOf,
  type ApplyTransaction,
  type OperationInput,
  decideTransaction,
  TransactionRefused
} from '../../../actors/transaction/transaction.js'
import { prepareTrees } from '../../../actors/transaction/kv.js'
import type { Operation, Result } from '../../../actors/transaction/operation.js'
import { BytePieces } from '../../../projections/byte-pieces.js'
import { readOptions } from '../../wire/reads/blocking.js'
import { parseExact } from '../../wire/bodies/json-parsing.js'
import { JsonList } from '../../wire/reads/json-list.js'
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

const success = (results: readonly Result[], further: string): Body => {
  const shown = results.filter(({ isReadable }) => isReadable)
  const isFiltered = further !== '' && shown.length < results.length
  const rest = `,"Errors":null${further}${isFiltered ? ',"ResultsFilteredByACLs":true' : ''}}`
  if (shown.length < MANY) return `{"Results":[${shown.map(({ json }) => json).join(',')}]${rest}`
  const list = new JsonList()
  for (const { json } of shown) list.push(json)
  return new BytePieces([Buffer.from('{"Results":'), ...list.end().pieces, Buffer.from(rest)])
}

/** @param contact for a read-only transaction */
const rolledBack = ({ code, errors }: TransactionRefused, contact?: PeerContact): RouteResponse => ({
  status: 409,
  body: `{"Results":null,"Errors":${JSON.stringify(errors)}${contact ? readFields(contact) : ''}}`,
  type: JSON_TYPE,
  headers: [CODE_HEADER, code, ...(contact ? contactHeaders(contact) : [])]
})

const read = (request: RequestContext, command: ApplyTransaction): RouteResponse => {
  const { views, contact } = request
  try {
    const { results } = decideTransaction(command, views, views.index + 1)
    return jsonText(success(results, readFields(contact)), contactHeaders(contact))
  } catch (error) {
    if (error instanceof TransactionRefused) return rolledBack(error, contact)
    throw error
  }
}

const apply = (request: RequestContext, command: ApplyTransaction): RouteResponse => {
  try {
    return request.write(inCluster('Transaction', request.id), command, ({ results }) =>
      jsonText(success(results, ''))
    )
  } catch (error) {
    if (!(error instanceof TransactionRefused)) throw error
    return rolledBack(error)
  }
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
      const decide = (): RouteResponse => {
        // Rejects an unknown token for all operations.
        if (!request.authority) throw new Refusal('txn.denied', 'ACL not found')
        const command = request.command('ApplyTransaction', { operations, rights: request })
        return isReadOnly ? read(request, command) : apply(request, command)
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

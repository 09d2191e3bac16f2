// Serves the replication feed to the servers of other datacenters: policies, roles, tokens, configuration entries and namespaces.
import { invalid, Refusal } from '../../../actors/refusal.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { ReplicationFeed, type FeedRequest, type FeedDependencies } from './replication-feed.js'
import { REPLICATION_PATH } from './replication-messages.js'
import { lineEncryption } from './encrypted-lines.js'
import { sharedKey } from '../../settings/datacenters.js'
import type { RequestContext } from '../../../http/wire/request-context.js'
import { requires, route, type Route } from '../../../http/wire/route.js'

const DIGITS = /^\d{1,16}$/
const NONCE = /^[0-9a-f]{32}$/
const HASH = /^[0-9a-f]{64}$/

const wholeNumber = (text: string, field: string): number => {
  if (!DIGITS.test(text)) throw invalid('datacenter.invalid', `Invalid ${field}: it must be a whole number`)
  return Number(text)
}

/** @throws Refusal `invalid` */
const feedRequestOf = ({ query }: RequestContext): FeedRequest | undefined => {
  const log = query.filled('log')
  if (log === undefined) return undefined
  const hash = query.get('hash') ?? ''
  if (!HASH.test(hash)) throw invalid('datacenter.invalid', 'Invalid hash: it must be 64 hexadecimal digits')
  return {
    log,
    incarnation: wholeNumber(query.get('incarnation') ?? '', 'incarnation'),
    after: wholeNumber(query.get('after') ?? '', 'after'),
    hash
  }
}

/**
 * Returns the encoder of lines: encryption with the key, or none for a client with a trusted certificate.
 * @throws Refusal `invalid`; `denied` if neither is possible
 */
const sealFor = ({ query, settings, hasClientCertificate }: RequestContext): ((text: string) => string) => {
  const nonce = query.filled('nonce')
  const key = sharedKey(settings)
  if (nonce !== undefined) {
    if (!NONCE.test(nonce))
      throw invalid('datacenter.invalid', 'Invalid nonce: it must be 32 hexadecimal digits')
    if (key === undefined)
      throw new Refusal(
        'datacenter.denied',
        'Permission denied: replication.key is not set in the primary datacenter'
      )
    return lineEncryption(key, nonce)
  }
  if (!hasClientCertificate)
    throw new Refusal(
      'datacenter.denied',
      'Permission denied: secrets are sent only encrypted with replication.key, or to a server with a trusted certificate'
    )
  return text => text
}

/** Returns the permissions that the token has now. */
const rightsNow = (request: RequestContext): { readonly mayRead: boolean; readonly mayWrite: boolean } => {
  try {
    const now = request.refreshed()
    return {
      mayRead: now.may('acl', 'read', '', DEFAULT_TENANCY),
      mayWrite: now.may('acl', 'write', '', DEFAULT_TENANCY)
    }
  } catch (error) {
    if (error instanceof Refusal) return { mayRead: false, mayWrite: false }
    throw error
  }
}

/** Longest time without contact to the leader. */
const MOST_WITHOUT_LEADER = 3000

const isCurrent = ({ contact }: RequestContext): boolean =>
  contact.isLeaderKnown && contact.lastContact < MOST_WITHOUT_LEADER

/** @param closing aborts on shutdown */
export const replicationRoutes = (
  parts: FeedDependencies,
  closing: AbortSignal,
  onFailure: (error: unknown) => void
): readonly Route[] => [
  route({
    method: 'GET',
    path: REPLICATION_PATH,
    operationId: 'readReplication',
    summary:
      'For servers of other datacenters: the policies, roles, tokens, configuration entries and namespaces',
    tag: 'Operator',
    access: requires('acl:read', 'acl:write for tokens'),
    tenancy: 'none',
    runs: 'anywhere',
    query: {
      log: 'ID of the log that was read before; absent: a complete transfer',
      incarnation: 'Incarnation of that log',
      after: 'Index of the newest commit that was read',
      hash: 'Hash of that commit',
      tokens: 'With tokens and their secrets',
      nonce: '32 random hexadecimal digits, with which the lines are encrypted by `replication.key`'
    },
    rawResponse: { type: 'application/x-ndjson', description: 'A message per line, possibly encrypted' },
    handle: request => {
      const from = feedRequestOf(request)
      const seal = sealFor(request)
      request.require('acl', 'read', '', DEFAULT_TENANCY)
      const wantsTokens = request.query.has('tokens')
      const withTokens = wantsTokens && request.may('acl', 'write', '', DEFAULT_TENANCY)
      const shouldContinue = (): boolean => {
        if (!isCurrent(request)) return false
        const { mayRead, mayWrite } = rightsNow(request)
        // A reader that may now read tokens must reconnect.
        return withTokens ? mayWrite : mayRead && !(wantsTokens && mayWrite)
      }
      return {
        status: 200,
        body: '',
        type: 'application/x-ndjson',
        // The end of the response must end the connection, too.
        headers: ['Cache-Control', 'no-cache', 'Connection', 'close'],
        stream: response => {
          new ReplicationFeed(parts, { from, withTokens, shouldContinue, seal, closing }, response)
            .run()
            .catch(onFailure)
        }
      }
    }
  })
]

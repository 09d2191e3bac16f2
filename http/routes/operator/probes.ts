// Probes of liveness and readiness.
import * as Type from 'typebox'
import type { Committer } from '../../../actors/committer.js'
import type { WriteAdmission } from '../../../events/log/log.js'
import type { ShutdownSignal } from '../../wire/shutdown-signal.js'
import type { Servers } from './cluster-servers.js'
import { json, plain } from '../../wire/response.js'
import type { PeerContact } from '../../wire/contact.js'
import { noToken, route, type Route } from '../../wire/route.js'

const facts = {
  tag: 'Status',
  method: 'GET',
  access: noToken,
  tenancy: 'none',
  runs: 'here',
  dc: 'ignored',
  isProbe: true
} as const

const LOG: Readonly<Record<WriteAdmission, string>> = {
  all: 'writable',
  deletions: 'deletions only',
  none: 'not writable'
}

const readiness = Type.Object(
  {
    Ready: Type.Boolean({ description: 'Whether requests may be sent to this server' }),
    Log: Type.String({
      description: 'writable; deletions only, while the disk is full; not writable',
      examples: ['writable']
    }),
    ReadModels: Type.String({
      description:
        'current; behind, while nothing proves in time that they show the newest; being made, of the log',
      examples: ['current']
    }),
    Leader: Type.String({ description: 'known or unknown', examples: ['known'] }),
    Ending: Type.Boolean({ description: 'Whether the server is shutting down' }),
    Reasons: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'How servers of the cluster fail to reach each other. A follower that cannot forward to the leader is not ready; a leader that most others do not reach is ready'
      })
    )
  },
  { $id: 'Readiness' }
)

interface ProbeParts {
  readonly committer: Pick<Committer, 'isReadable' | 'writeAdmission'>
  readonly closing: ShutdownSignal
  readonly servers: Pick<Servers, 'connectivity'>
  readonly contact: () => PeerContact
  /** The maximum age of current read models, in ms. */
  readonly maxStale: number
}

const readinessOf = ({ committer, closing, servers, contact, maxStale }: ProbeParts) => {
  const { isReadable, writeAdmission } = committer
  const { isLeaderKnown, lastContact } = contact()
  const isCurrent = isReadable && lastContact <= maxStale
  const isEnding = closing.signal.aborted
  const { isSound, reasons } = servers.connectivity()
  return {
    Ready: writeAdmission !== 'none' && isCurrent && isLeaderKnown && isSound && !isEnding,
    Log: LOG[writeAdmission],
    ReadModels: isCurrent ? 'current' : isReadable ? 'behind' : 'being made',
    Leader: isLeaderKnown ? 'known' : 'unknown',
    Ending: isEnding,
    ...(reasons.length > 0 && { Reasons: reasons })
  }
}

export const probeRoutes = (parts: ProbeParts): readonly Route[] => [
  route({
    ...facts,
    path: '/healthz',
    operationId: 'readLiveness',
    summary: 'Whether the process answers; HEAD too',
    rawResponse: { type: 'text/plain', description: 'That it does', example: 'ok' },
    handle: () => plain(200, 'ok')
  }),
  route({
    ...facts,
    path: '/readyz',
    operationId: 'readReadiness',
    summary: 'Whether requests may be sent to this server; HEAD too',
    response: readiness,
    outcomes: { 503: { description: 'Not now, and why', response: readiness } },
    handle: () => {
      const shown = readinessOf(parts)
      return { ...json(shown), status: shown.Ready ? 200 : 503 }
    }
  })
]

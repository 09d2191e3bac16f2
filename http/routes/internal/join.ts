// The endpoint by which a machine joins a cluster with a managed etcd. The join token is the credential.
import type { Static } from 'typebox'
import { CredentialRefused, invalid, Refusal } from '../../../actors/refusal.js'
import { joinBody, joined } from '../../schemas/cluster-join.js'
import { json } from '../../wire/response.js'
import { bodyRoute, type Route } from '../../wire/route.js'
import { SERVER_FACTS } from './cluster.js'

export const JOIN_PATH = '/v1/internal/join'

export type JoinInput = Static<typeof joinBody>

/** The response, or why the machine is refused. */
export type JoinOutcome =
  | { readonly kind: 'joined'; readonly view: object }
  | { readonly kind: 'denied' | 'invalid' | 'unavailable'; readonly reason: string }

/** Admits machines. Registered if the etcd of the cluster is managed. */
export type AdmitMachine = (input: JoinInput) => Promise<JoinOutcome>

/** @param admit of the process that takes part in the cluster; undefined if etcd is not managed */
export const joinRoutes = (admit: AdmitMachine | undefined): readonly Route[] => [
  bodyRoute({
    ...SERVER_FACTS,
    method: 'POST',
    path: JOIN_PATH,
    operationId: 'joinCluster',
    summary: 'For `annals cluster join`: exchange a join token for the certificate and the keys of a machine',
    idempotency: { refused: 'a join token is for one machine, which may repeat the request' },
    outcomes: { 403: { description: 'The join token is not valid for the reason in the text' } },
    body: { schema: joinBody, name: 'Join' },
    response: joined,
    handle: async (_, input) => {
      if (!admit)
        throw invalid('cluster.invalid', 'The etcd of this server is not managed: it admits no machines')
      const outcome = await admit(input)
      if (outcome.kind === 'joined') return json(outcome.view)
      const text = `Permission denied: ${outcome.reason}`
      if (outcome.kind === 'denied') throw new CredentialRefused('login', 'cluster.join-denied', text)
      throw outcome.kind === 'invalid'
        ? invalid('cluster.invalid', outcome.reason)
        : new Refusal('cluster.unavailable', outcome.reason)
    }
  })
]

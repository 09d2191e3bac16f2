// The endpoint by which a machine joins a cluster with a managed etcd. The join token is the credential.
import type { Static } from 'typebox'
import { CredentialRefused, invalid, Refusal } from '../../../actors/refusal.js'
import { json } from '../../wire/response.js'
import { bodyRoute, type Route } from '../../wire/route.js'
import { SERVER_FACTS } from './cluster.js'
import * as Type from 'typebox'
import { strict, sample, view } from '../../schemas/view.js'

const needed = (description: string, maxLength: number) =>
  Type.String({ description, minLength: 1, maxLength })

const MAX_NAME = 64
const MAX_URL = 80
const MAX_REQUEST = 4096

const joinBody = strict(
  {
    ID: needed('ID of the join token', MAX_NAME),
    Secret: needed('Secret of the join token', MAX_URL),
    Name: needed('Node name of the machine', MAX_NAME),
    Host: needed('IP address by which the other machines reach it', MAX_NAME),
    PeerURL: needed('Where members of etcd reach its member', MAX_URL),
    Request: needed('PKCS #10 request for its certificate, in PEM', MAX_REQUEST)
  },
  {
    $id: 'JoinInput',
    examples: [
      {
        ID: '5ec51e410a1b2c3d',
        Secret: 'rY7…',
        Name: 'server-2',
        Host: '10.0.0.2',
        PeerURL: 'https://10.0.0.2:2380',
        Request: '-----BEGIN CERTIFICATE REQUEST-----…'
      }
    ]
  }
)

const MEMBERS = [{ name: 'server-1', peer: 'https://10.0.0.1:2380', client: 'https://10.0.0.1:2379' }]

const joined = view('Joined', {
  Certificate: sample.text('-----BEGIN CERTIFICATE-----…', 'Certificate of the machine, in PEM'),
  EncryptionKey: sample.text('q0…=', '`encryption.key`'),
  ClusterSecret: sample.text('x1…=', '`cluster.secret`'),
  Datacenter: sample.text('dc1'),
  Prefix: sample.text('/annals', '`cluster.etcd.prefix`'),
  Quota: sample.integer(2_147_483_648, '`cluster.etcd.quota`'),
  Members: sample.of(
    MEMBERS,
    Type.Array(Type.Object({ name: Type.String(), peer: Type.String(), client: Type.String() }), {
      description: 'The voting members of etcd'
    })
  )
})

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
        throw invalid(
          'cluster.invalid',
          'This server has no managed member of etcd: join at a server that has one (annals cluster status)'
        )
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

// The requests of a joining machine to a server of the cluster, whose authority it verifies by the fingerprint in the join token.
import { createHash, X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { connect, type DetailedPeerCertificate } from 'node:tls'
import * as Type from 'typebox'
import { Value } from 'typebox/value'
import { messageOf } from '../../events/errors.js'
import { Failed, UsageError } from '../../clients/cli/console.js'
import type { JoinToken } from '../cluster/etcd/join-tokens.js'
import { JOIN_PATH, type JoinInput } from '../../http/routes/internal/join.js'

const DEFAULT_PORT = 8501
const TIMEOUT_MS = 30_000
const MAX_CHAIN = 8

/** Of the server that admits the machine. */
interface Admitter {
  readonly host: string
  readonly port: number
  /** The verified authority, in PEM. */
  readonly authority: string
  /** Address of this machine on the way to the server. */
  readonly ownAddress: string
}

/** @throws UsageError for no host and port */
const placeOf = (given: string): { readonly host: string; readonly port: number } => {
  const url = given.includes('://') ? given : `https://${given}`
  const parsed = /^https:\/\/[^\s/?#@]+\/?$/.test(url) && URL.canParse(url) ? new URL(url) : undefined
  if (!parsed)
    throw new UsageError(
      `${JSON.stringify(given)} is no address of a server: it must be a host and the port of HTTPS, such as 10.0.0.1:8501`
    )
  const port = parsed.port === '' ? (given.endsWith(':443') ? 443 : DEFAULT_PORT) : Number(parsed.port)
  return { host: parsed.hostname.replace(/^\[(.*)\]$/, '$1'), port }
}

const chainOf = (leaf: DetailedPeerCertificate): readonly DetailedPeerCertificate[] => {
  const chain = [leaf]
  for (let at = leaf; at.issuerCertificate && at.issuerCertificate !== at && chain.length < MAX_CHAIN;) {
    at = at.issuerCertificate
    chain.push(at)
  }
  return chain
}

/** Verifies that a server shows the authority of the token. Nothing is sent to it. @throws UsageError; Failed */
export const findAdmitter = (address: string, { fingerprint }: JoinToken): Promise<Admitter> => {
  const { host, port } = placeOf(address)
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, rejectUnauthorized: false, timeout: TIMEOUT_MS }, () => {
      const chain = chainOf(socket.getPeerCertificate(true))
      const found = chain.find(
        ({ raw }) => createHash('sha256').update(raw).digest('base64url') === fingerprint
      )
      const ownAddress = socket.localAddress ?? ''
      socket.destroy()
      if (found) resolve({ host, port, authority: new X509Certificate(found.raw).toString(), ownAddress })
      else
        reject(
          new Failed(
            `the server at ${address} does not belong to the cluster that created the join token: its certificate is of another authority`
          )
        )
    })
    socket.once('timeout', () => socket.destroy(new Error('it does not answer')))
    socket.once('error', error =>
      reject(new Failed(`no server of the cluster answers over HTTPS at ${host}:${port}: ${error.message}`))
    )
  })
}

const admission = Type.Object({
  Certificate: Type.String(),
  EncryptionKey: Type.String(),
  ClusterSecret: Type.String(),
  Datacenter: Type.String(),
  Prefix: Type.String(),
  Quota: Type.Integer(),
  Members: Type.Array(Type.Object({ name: Type.String(), peer: Type.String(), client: Type.String() }))
})

export type Admission = Type.Static<typeof admission>

/** Sends the request for a certificate. @throws Failed with the reason of the server */
export const requestAdmission = (
  { host, port, authority: ca }: Admitter,
  input: JoinInput
): Promise<Admission> =>
  new Promise((resolve, reject) => {
    const fail = (reason: string): void => reject(new Failed(`the server at ${host}:${port} ${reason}`))
    const headers = { 'Content-Type': 'application/json' }
    const options = { host, port, ca, path: JOIN_PATH, method: 'POST', headers, timeout: TIMEOUT_MS }
    const receive = async (response: IncomingMessage): Promise<void> => {
      try {
        const content = await text(response)
        if (response.statusCode !== 200) return fail(`refused this machine: ${content.trim()}`)
        resolve(Value.Decode(admission, JSON.parse(content)))
      } catch (error) {
        fail(`sent no valid response: ${messageOf(error)}`)
      }
    }
    const sent = request(options, response => void receive(response))
    sent.once('timeout', () => sent.destroy(new Error('no response in time')))
    sent.once('error', error => fail(`did not answer: ${error.message}`))
    sent.end(JSON.stringify(input))
  })

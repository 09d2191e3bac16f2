// Authenticates requests between cluster members: by a certificate of the cluster, or by a signature with the cluster's secret.
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../../actors/clock.js'
import type { Forwarded, SenderFault } from '../../../http/wire/contact.js'
import type { ClusterCertificates } from '../../../http/wire/tls/cluster-certificates.js'

/** Sender, client, time and proof: `node.name.address.time.mac`, with percent-encoded texts; no `mac` without a secret. */
export const FORWARDED_HEADER = 'X-Annals-Forwarded'
const RECEIVED = FORWARDED_HEADER.toLowerCase()
/** In both directions: allows for clock differences and queued requests. */
const MAX_AGE_MS = 300_000
const FORM = /^([^.]*)\.([^.]*)\.([^.]*)\.(\d{1,15})\.([\w-]{43})?$/

interface SignedParts {
  readonly method?: string | undefined
  readonly url?: string | undefined
}

const macOf = (secret: KeyObject, { method = '', url = '' }: SignedParts, said: string): Buffer =>
  createHmac('sha256', secret).update(`annals-forwarded\n${method}\n${url}\n${said}`).digest()

/** Encodes text without dots, which are separators. */
const encoded = (text: string): string => encodeURIComponent(text).replaceAll('.', '%2E')

/** Returns the value of `X-Annals-Forwarded`. @param secret undefined if a certificate is the proof @param at epoch ms */
export const serverProof = (
  secret: KeyObject | undefined,
  asked: SignedParts,
  from: Forwarded,
  at: number
): string => {
  const said = [...[from.id, from.node, from.address].map(encoded), String(at)].join('.')
  return `${said}.${secret ? macOf(secret, asked, said).toString('base64url') : ''}`
}

const notProved = (why: string, isOfClock = false): SenderFault => ({
  text: `${FORWARDED_HEADER} proves nothing: ${why}`,
  isOfClock
})

/** Verifies the proofs of requests from other servers. */
export class ServerProofs {
  readonly #read = new WeakMap<IncomingMessage, Forwarded>()

  /** @param certificates of the cluster, if it uses them */
  constructor(
    private readonly secret: KeyObject | undefined,
    private readonly clock: Clock,
    private readonly certificates?: ClusterCertificates
  ) {}

  /** Returns the fault of a forged, malformed or old header, since handling its request could serve the wrong client and node. */
  faultOf(request: IncomingMessage): SenderFault | undefined {
    const header = request.headers[RECEIVED]
    if (header === undefined) return undefined
    const [, id = '', node = '', address = '', at = '', mac] = FORM.exec(String(header)) ?? []
    if (at === '') return notProved('it has not the form of one')
    const fault = this.#proofFault(request, [id, node, address, at].join('.'), mac)
    if (fault !== undefined) return notProved(fault)
    const age = Math.abs(this.clock.now() - Number(at))
    if (age > MAX_AGE_MS)
      return notProved(
        `it was signed ${Math.round(age / 1000)} s from now: the clocks of the servers must agree`,
        true
      )
    this.#read.set(request, {
      id: decodeURIComponent(id),
      node: decodeURIComponent(node),
      address: decodeURIComponent(address)
    })
    return undefined
  }

  /** A certificate of the cluster makes a signature unnecessary. */
  #proofFault(request: IncomingMessage, said: string, mac: string | undefined): string | undefined {
    const ofConnection = this.certificates?.isOn
      ? this.certificates.faultOf(request, this.clock.now())
      : 'it is not signed'
    if (ofConnection === undefined) return undefined
    if (!this.secret || mac === undefined) return ofConnection
    return timingSafeEqual(macOf(this.secret, request, said), Buffer.from(mac, 'base64url'))
      ? undefined
      : 'it is signed with another secret (cluster.secret) than that of this server'
  }

  /** Returns the verified header of a request; undefined for requests of clients. */
  of(request: IncomingMessage): Forwarded | undefined {
    return this.#read.get(request)
  }
}

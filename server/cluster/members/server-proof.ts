// How a server of the cluster knows that a request comes from another one: it came over a connection with a certificate of the
// cluster, or what it says of itself is signed with the cluster's secret.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../../actors/clock.js'
import type { Forwarded, SenderFault } from '../../../http/wire/contact.js'
import type { ClusterCertificates } from '../../../http/wire/tls/cluster-certificates.js'

/** Who sends, for whom, when, and the proof: `node.name.address.time.mac`, each percent-encoded where it is text; no `mac` without a secret. */
export const FORWARDED_HEADER = 'X-Annals-Forwarded'
const RECEIVED = FORWARDED_HEADER.toLowerCase()
/** Both ways: for clocks that differ, and requests that wait on their way. */
const LONGEST_AGE_MS = 300_000
const FORM = /^([^.]*)\.([^.]*)\.([^.]*)\.(\d{1,15})\.([\w-]{43})?$/

/** Of a request: its method, and its path with the query. */
interface Asked {
  readonly method?: string | undefined
  readonly url?: string | undefined
}

const macOf = (secret: Uint8Array, { method = '', url = '' }: Asked, said: string): Buffer =>
  createHmac('sha256', secret).update(`annals-forwarded\n${method}\n${url}\n${said}`).digest()

/** Text without dots, which separate. */
const encoded = (text: string): string => encodeURIComponent(text).replaceAll('.', '%2E')

/** The value of `X-Annals-Forwarded`. @param secret undefined where the connection proves it @param at epoch ms */
export const serverProof = (
  secret: Uint8Array | undefined,
  asked: Asked,
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

/** Reads and checks what other servers say of the requests that they send. */
export class ServerProofs {
  readonly #certificates: ClusterCertificates | undefined
  readonly #read = new WeakMap<IncomingMessage, Forwarded>()

  /**
   * @param secret by which requests may be signed
   * @param certificates by which connections may be known, where there are any
   */
  constructor(
    private readonly secret: Uint8Array | undefined,
    private readonly clock: Clock,
    certificates?: ClusterCertificates
  ) {
    this.#certificates = certificates
  }

  /**
   * Checks what a request says of itself, before anybody asks for it. Answers with what is wrong with it, where it says something that
   * no server of the cluster has said, or long ago: whoever handled it all the same would do so for the wrong client and node.
   */
  faultOf(request: IncomingMessage): SenderFault | undefined {
    const header = request.headers[RECEIVED]
    if (header === undefined) return undefined
    const [, id = '', node = '', address = '', at = '', mac] = FORM.exec(String(header)) ?? []
    if (at === '') return notProved('it has not the form of one')
    const fault = this.#proofFault(request, [id, node, address, at].join('.'), mac)
    if (fault !== undefined) return notProved(fault)
    const age = Math.abs(this.clock.now() - Number(at))
    if (age > LONGEST_AGE_MS)
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

  /** Who has a certificate of the cluster needs no signature. */
  #proofFault(request: IncomingMessage, said: string, mac: string | undefined): string | undefined {
    const ofConnection = this.#certificates?.isOn
      ? this.#certificates.faultOf(request, this.clock.now())
      : 'it is not signed'
    if (ofConnection === undefined) return undefined
    if (!this.secret || mac === undefined) return ofConnection
    return timingSafeEqual(macOf(this.secret, request, said), Buffer.from(mac, 'base64url'))
      ? undefined
      : 'it is signed with another secret (cluster.secret) than that of this server'
  }

  /** What another server of the cluster says of a request that was checked; undefined for requests of clients. */
  of(request: IncomingMessage): Forwarded | undefined {
    return this.#read.get(request)
  }
}

// Join tokens: each admits one machine. etcd has a digest of each token, so that every server of the cluster can check it.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import * as Type from 'typebox'
import { Value } from 'typebox/value'
import type { EtcdAdministration } from '../../../events/log/etcd/administration.js'

const ID_BYTES = 8
const SECRET_BYTES = 32
const FORM = /^annals-join\.([0-9a-f]{16})\.([\w-]{43})\.(\d{10})\.([\w-]{43})$/

/** `annals-join.ID.SECRET.EXPIRY.FINGERPRINT`, the expiry in seconds since 1970, the fingerprint that of the authority. */
export interface JoinToken {
  readonly id: string
  readonly secret: string
  /** Epoch ms. */
  readonly expires: number
  readonly fingerprint: string
}

/** Returns undefined for a text of another form. */
export const parseJoinToken = (text: string): JoinToken | undefined => {
  const [, id, secret, expires, fingerprint] = FORM.exec(text) ?? []
  if (id === undefined || secret === undefined || fingerprint === undefined) return undefined
  return { id, secret, expires: Number(expires) * 1000, fingerprint }
}

const record = Type.Object({
  /** SHA-256 of the secret. */
  digest: Type.String(),
  /** Epoch ms. */
  expires: Type.Number(),
  /** The machine that has used it, and a digest of its public key. */
  used: Type.Optional(Type.Object({ name: Type.String(), key: Type.String() }))
})

type Stored = Pick<EtcdAdministration, 'read' | 'list' | 'replace'>

const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** Compares in a time that does not depend on the content. */
const isEqual = (digest: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(digestOf(digest)), Buffer.from(digestOf(other)))

export class JoinTokens {
  readonly #prefix: string

  /** @param prefix of the cluster (`cluster.etcd.prefix`) */
  constructor(
    private readonly etcd: Stored,
    prefix: string
  ) {
    this.#prefix = `${prefix}/join/`
  }

  /** Creates a token, and deletes expired ones. @param now epoch ms @param life in ms. @throws EtcdFailure */
  async create(fingerprint: string, life: number, now: number): Promise<string> {
    await this.#deleteExpired(now)
    const id = randomBytes(ID_BYTES).toString('hex')
    const secret = randomBytes(SECRET_BYTES).toString('base64url')
    const expires = Math.ceil((now + life) / 1000)
    const value = JSON.stringify({ digest: digestOf(secret), expires: expires * 1000 })
    await this.etcd.replace(this.#prefix + id, undefined, Buffer.from(value))
    return `annals-join.${id}.${secret}.${expires}.${fingerprint}`
  }

  /**
   * Uses a token for a machine. The same machine may use it again until it expires, after a join that did not end.
   * @param key digest of the machine's public key
   * @param isTrial checks only
   * @returns why it is refused; undefined if it is used
   * @throws EtcdFailure
   */
  async use(
    { id, secret }: Pick<JoinToken, 'id' | 'secret'>,
    machine: { readonly name: string; readonly key: string },
    now: number,
    isTrial = false
  ): Promise<string | undefined> {
    const before = await this.etcd.read(this.#prefix + id)
    const stored = before && Value.Decode(record, JSON.parse(before.toString()))
    const isKnown = isEqual(digestOf(secret), stored?.digest ?? '')
    if (!before || !stored || !isKnown)
      return 'the join token is unknown: create one with annals cluster token'
    if (now > stored.expires)
      return 'the join token has expired: create another one with annals cluster token'
    if (stored.used && stored.used.key !== machine.key)
      return `the join token was used by ${stored.used.name}, and is for one machine: create another one with annals cluster token`
    if (stored.used || isTrial) return undefined
    const after = JSON.stringify({ ...stored, used: machine })
    const isUsed = await this.etcd.replace(this.#prefix + id, before, Buffer.from(after))
    return isUsed ? undefined : 'the join token was used at the same time by another machine'
  }

  async #deleteExpired(now: number): Promise<void> {
    for (const [key, value] of await this.etcd.list(this.#prefix))
      if (Value.Decode(record, JSON.parse(value.toString())).expires < now)
        await this.etcd.replace(key, value, undefined)
  }
}

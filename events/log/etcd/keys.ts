import { randomBytes } from 'node:crypto'
import { SharedMismatch, type ClusterSeed, type Leader, type Member } from '../cluster/shared-log.js'
import type { Head } from '../store.js'

/** Of what stands under these keys; a server of another format takes no part. */
const FORMAT = 1
const DIGITS = 16

/**
 * | Key                            | Value                                                                                              |
 * | ------------------------------ | -------------------------------------------------------------------------------------------------- |
 * | `format`                       | what the cluster begins as (`Foundation`), JSON                                                    |
 * | `head`                         | `<index> <hash, hex> <cluster>` of the newest commit                                               |
 * | `log/<first index>`            | a window: see `window.ts`                                                                          |
 * | `part/<first index>/<try>/n`   | a piece of a window that is too large for one request; each try to append it has pieces of its own |
 * | `floor`                        | index of the oldest commit that is there, as far as it could be written                            |
 * | `leader`                       | who leads, JSON; ends with its lease. The revision that created it is the epoch                    |
 * | `term/<nonce>`                 | `head` as it was when that term began; created by the same revision as its `leader`               |
 * | `node/<id>`                    | a server that takes part, as it announced itself, JSON; ends with its lease                        |
 * | `joined/<id>`                  | the same, kept until it is forgotten                                                               |
 * | `name/<name>`                  | ID of the live server with this name, in lower case; ends with its lease                           |
 *
 * Indexes and epochs have 16 digits, so that keys are in their order.
 */
export const keysUnder = (prefix: string) => ({
  format: Buffer.from(`${prefix}/format`),
  head: Buffer.from(`${prefix}/head`),
  floor: Buffer.from(`${prefix}/floor`),
  leader: Buffer.from(`${prefix}/leader`),
  log: new KeyRange(`${prefix}/log/`),
  parts: new KeyRange(`${prefix}/part/`),
  terms: new KeyRange(`${prefix}/term/`),
  nodes: new KeyRange(`${prefix}/node/`),
  joined: new KeyRange(`${prefix}/joined/`),
  names: new KeyRange(`${prefix}/name/`),
  /** The pieces of a window that begins with a commit. @param attempt random, of one try to append it */
  partsOf: (first: number, attempt: string): KeyRange =>
    new KeyRange(`${prefix}/part/${digits(first)}/${attempt}/`)
})

export type Keys = Readonly<ReturnType<typeof keysUnder>>

/** All keys that begin alike. */
export class KeyRange {
  readonly key: Buffer
  /** The first key behind them. */
  readonly rangeEnd: Buffer

  constructor(readonly prefix: string) {
    this.key = Buffer.from(prefix)
    this.rangeEnd = Buffer.from(this.key)
    const last = this.rangeEnd.length - 1
    this.rangeEnd.writeUInt8(this.rangeEnd.readUInt8(last) + 1, last)
  }

  named(name: string): Buffer {
    return Buffer.from(this.prefix + name)
  }

  numbered(number: number): Buffer {
    return this.named(digits(number))
  }

  /** The number that a key of these ends with. */
  numberOf(key: Uint8Array): number {
    return Number(Buffer.from(key).toString('latin1', this.key.length))
  }
}

const digits = (number: number): string => String(number).padStart(DIGITS, '0')

export const newNonce = (): string => randomBytes(16).toString('hex')

/** The end of a log of a cluster. */
export interface ClusterHead extends Head {
  readonly cluster: string
}

export const headValue = ({ index, hash }: Head, cluster: string): Buffer =>
  Buffer.from(`${index} ${Buffer.from(hash).toString('hex')} ${cluster}`)

/** @throws SharedMismatch when it is none */
export function readHead(value: Uint8Array | undefined): ClusterHead {
  const [index, hash, cluster, ...more] = textOf(value).split(' ')
  if (!index || hash === undefined || !cluster || more.length > 0)
    throw new SharedMismatch(
      'etcd holds no end of the log under this prefix: no cluster was founded there, or it is gone'
    )
  return { index: Number(index), hash: Buffer.from(hash, 'hex'), cluster }
}

export const formatValue = ({ cluster, log, keys, signingKey }: ClusterSeed): Buffer =>
  jsonOf({
    Format: FORMAT,
    Cluster: cluster,
    Log: log,
    Keys: Buffer.from(keys).toString('base64'),
    SigningKey: Buffer.from(signingKey).toString('base64')
  })

/** @throws SharedMismatch when it is of another format */
export function readFormat(value: Uint8Array | undefined): ClusterSeed {
  const found: {
    readonly Format: number
    readonly Cluster: string
    readonly Log: ClusterSeed['log']
    readonly Keys: string
    readonly SigningKey: string
  } = JSON.parse(textOf(value))
  if (found.Format !== FORMAT)
    throw new SharedMismatch(
      `the cluster is in format ${found.Format}, and this version takes part in format ${FORMAT}`
    )
  return {
    cluster: found.Cluster,
    log: found.Log,
    keys: Buffer.from(found.Keys, 'base64'),
    signingKey: Buffer.from(found.SigningKey, 'base64')
  }
}

type LeaderName = Omit<Leader, 'epoch'>

export const leaderValue = ({ id, address, nonce }: LeaderName): Buffer =>
  jsonOf({ ID: id, Address: address, Nonce: nonce })

export function readLeader(value: Uint8Array | undefined): LeaderName {
  const { ID: id, Address: address, Nonce: nonce } = JSON.parse(textOf(value))
  return { id, address, nonce }
}

export const memberValue = (member: Member): Buffer => jsonOf(member)

export const readMember = (value: Uint8Array | undefined): Member => JSON.parse(textOf(value))

const jsonOf = (value: object): Buffer => Buffer.from(JSON.stringify(value))

const textOf = (value: Uint8Array = Buffer.alloc(0)): string => Buffer.from(value).toString()

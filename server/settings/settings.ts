// The configuration of a server: its type, and what is wrong with it.
import { join } from 'node:path'
import type { StaticDecode } from 'typebox'
import type { schema } from './schema.js'
import type { ViewOptions } from '../../projections/read-models.js'

const NS_PER_MS = 1e6

export const viewSettings = ({ datacenter, primary_datacenter, acl }: Settings): ViewOptions => ({
  datacenter,
  isPrimary: datacenter === primary_datacenter,
  aclEnabled: acl.enabled,
  defaultPolicy: acl.default_policy,
  tokenLife: { min: acl.token_min_ttl * NS_PER_MS, max: acl.token_max_ttl * NS_PER_MS }
})

type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Frozen<T[Name]> }
    : T

/**
 * The configuration, complete: every key has its value, except those documented as "none". Named and nested as in the
 * file. Durations are milliseconds, `data_dir` is absolute, `encryption.key`, `signing.key`, `cluster.secret` and `replication.key` are there if a file was given for them.
 */
export type Settings = Frozen<StaticDecode<typeof schema>>

/** Where the log lies below the data directory. */
export const logFolder = (dataDir: string): string => join(dataDir, 'log')

/** Where a log stands that is to take its place. */
export const incomingLogFolder = (dataDir: string): string => join(dataDir, 'log.coming')

/** Where copies of the log stand while they are sent. */
export const copiesFolder = (dataDir: string): string => join(dataDir, 'copies')

/** The socket at which the main process takes what its workers send on. */
export const workersSocket = (dataDir: string): string => join(dataDir, 'workers.sock')

/** Key by which the servers of the cluster know each other; undefined where they do by their certificates alone. */
export const clusterSecret = ({ cluster: { secret } }: Pick<Settings, 'cluster'>): Uint8Array | undefined =>
  secret === undefined ? undefined : Buffer.from(secret, 'base64')

/** The configuration cannot be used. The message names the key, where it was given, and the rule; never a secret. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

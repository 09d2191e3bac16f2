import { createSecretKey, type KeyObject } from 'node:crypto'
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
 * All keys, named and nested as in the file. Keys without a default may be absent. Durations are milliseconds, `data_dir` is absolute, and
 * `encryption.key`, `signing.key`, `cluster.secret` and `replication.key` contain the content of their files.
 */
export type Settings = Frozen<StaticDecode<typeof schema>>

export const logFolder = (dataDir: string): string => join(dataDir, 'log')

/** A log that will replace the current one. */
export const incomingLogFolder = (dataDir: string): string => join(dataDir, 'log.coming')

/** Copies of the log during their transfer. */
export const copiesFolder = (dataDir: string): string => join(dataDir, 'copies')

/** The socket for requests that workers forward to the main process. */
export const workersSocket = (dataDir: string): string => join(dataDir, 'workers.sock')

/** The data of the managed member of etcd. */
export const etcdFolder = (dataDir: string): string => join(dataDir, 'etcd')

/** The shared key of the cluster's servers; undefined if they use certificates only. */
export const clusterSecret = ({ cluster: { secret } }: Pick<Settings, 'cluster'>): KeyObject | undefined =>
  secret === undefined ? undefined : createSecretKey(secret, 'base64')

/** The message names the key, its source and the rule, and never a secret. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

/** The current settings of a server: those of its start, updated by reloads. */
export class LiveSettings {
  /** A new object after each reload, set by `use`. */
  current: Settings

  /** @param load reads all sources. @throws SettingsError */
  constructor(readonly load: () => Settings) {
    this.current = load()
  }

  use(settings: Settings): void {
    this.current = settings
  }
}

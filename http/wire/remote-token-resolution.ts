// The interface to token resolution in another datacenter, for datacenters that do not replicate the primary's tokens.
import type { InjectionToken } from 'tsyringe'
import type { Refusal } from '../../actors/refusal.js'

export interface RemoteTokenResolution {
  /**
   * Resolves a secret in its datacenter as far as possible, so that later lookups find its permissions.
   * @returns undefined if nothing must be awaited, as always for local tokens
   * @throws Refusal `too-many`, by the promise
   */
  learn(secret: string | undefined): Promise<void> | undefined

  /** Returns the refusal for an unresolved secret, if it is more specific than an unknown token. */
  refusalOf(secret: string): Refusal | undefined
}

/** Registered only if tokens may be in another datacenter. */
export const REMOTE_TOKEN_RESOLUTION: InjectionToken<RemoteTokenResolution> = Symbol('TokensElsewhere')

// What the wire asks of tokens that are not known here, and may be elsewhere: a datacenter that does not replicate the tokens of the
// primary has them told from there.
import type { InjectionToken } from 'tsyringe'
import type { Refusal } from '../../actors/refusal.js'

export interface RemoteTokenResolution {
  /**
   * Has it known who a secret belongs to, as far as that can be: afterwards the rights are looked up as those of tokens that are here.
   * @returns undefined when nothing has to be waited for, as always of tokens that are here
   * @throws Refusal `too-many`, by the promise
   */
  learn(secret: string | undefined): Promise<void> | undefined

  /** Why a secret counts for nothing here, where there is more to say than that nobody knows it. */
  refusalOf(secret: string): Refusal | undefined
}

/** Registered only where tokens may be elsewhere. */
export const REMOTE_TOKEN_RESOLUTION: InjectionToken<RemoteTokenResolution> = Symbol('TokensElsewhere')

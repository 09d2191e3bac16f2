// Resolves tokens that this datacenter does not know with the primary datacenter.
import { inject, Lifecycle, scoped, type InjectionToken } from 'tsyringe'
import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { TokenResolution } from '../../../projections/acl/token-resolution.js'
import { SETTINGS } from '../../settings/ports.js'
import {
  decryptTokenResolution,
  encryptTokenQuery,
  TOKEN_PATH
} from '../../../http/routes/internal/acl-token.js'
import { tokenResolution } from '../../../http/schemas/permissions.js'
import { isSecure, sharedKey } from '../../settings/datacenters.js'
import type { Settings } from '../../settings/settings.js'
import { RemoteJsonRequests } from './remote-json-requests.js'

const sealedAnswer = Compile(Type.Object({ Sealed: Type.String() }))
const tokenResolutionSchema = Compile(tokenResolution)

/** Resolves secrets that are unknown here. */
export interface TokenAuthority {
  /** @throws Error, such as a Refusal, if it cannot be reached */
  ask(secret: string): Promise<TokenResolution>
}

export const TOKEN_AUTHORITY: InjectionToken<TokenAuthority> = Symbol('TokenAuthority')

@scoped(Lifecycle.ContainerScoped)
export class PrimaryTokens implements TokenAuthority {
  readonly #primary: string
  readonly #key: Buffer | undefined
  readonly #isSecure: boolean

  constructor(
    @inject(SETTINGS) settings: Settings,
    private readonly answers: RemoteJsonRequests
  ) {
    const { primary_datacenter: primary, datacenters } = settings
    this.#primary = primary
    this.#key = sharedKey(settings)
    const remote = datacenters[primary]
    this.#isSecure = remote !== undefined && isSecure(remote)
  }

  /** @throws Error, such as a Refusal, if the primary cannot be reached within 2 s or its answer is invalid */
  async ask(secret: string): Promise<TokenResolution> {
    const resolution =
      this.#key === undefined ? await this.#askPlain(secret) : await this.#askEncrypted(this.#key, secret)
    if (!tokenResolutionSchema.Check(resolution)) throw this.#invalidAnswer()
    return resolution
  }

  #askPlain(secret: string): Promise<unknown> {
    if (!this.#isSecure)
      throw new Error(
        `"${this.#primary}" resolves tokens only for servers with its key (replication.key), or with a certificate that it trusts`
      )
    return this.answers.ask(this.#primary, { url: TOKEN_PATH, body: { SecretID: secret } })
  }

  async #askEncrypted(key: Buffer, secret: string): Promise<unknown> {
    const question = encryptTokenQuery(key, secret)
    const answer = await this.answers.ask(this.#primary, { url: TOKEN_PATH, body: { Sealed: question } })
    if (!sealedAnswer.Check(answer)) throw this.#invalidAnswer()
    const opened = decryptTokenResolution(key, answer.Sealed, question)
    if (opened === undefined)
      throw new Error(
        `"${this.#primary}" has not encrypted its answer with the key of this server (replication.key)`
      )
    return JSON.parse(opened)
  }

  #invalidAnswer(): Error {
    return new Error(`"${this.#primary}" sent an invalid token resolution`)
  }
}

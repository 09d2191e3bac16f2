// Asks the primary datacenter about a token that this one does not know.
import { inject, Lifecycle, scoped } from 'tsyringe'
import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { TokenResolution } from '../../../projections/acl/token-resolution.js'
import { SETTINGS } from '../../settings/ports.js'
import {
  decryptTokenResolution,
  encryptTokenQuery,
  TOKEN_PATH
} from '../../../http/routes/internal/token-resolution-messages.js'
import { tokenResolution } from '../../../http/schemas/token-resolution.js'
import { isSecure, sharedKey } from '../../settings/datacenters.js'
import type { Settings } from '../../settings/settings.js'
import { RemoteJsonRequests } from './remote-json-requests.js'

const sealedAnswer = Compile(Type.Object({ Sealed: Type.String() }))
const tokenResolutionSchema = Compile(tokenResolution)

@scoped(Lifecycle.ContainerScoped)
export class PrimaryTokens {
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

  /**
   * What the primary tells of a secret.
   * @throws Error, such as a Refusal, when it cannot be asked, within 2 s, or answers with something else
   */
  async ask(secret: string): Promise<TokenResolution> {
    const told =
      this.#key === undefined ? await this.#askOpenly(secret) : await this.#askSealed(this.#key, secret)
    if (!tokenResolutionSchema.Check(told)) throw this.#saysNothing()
    return told
  }

  #askOpenly(secret: string): Promise<unknown> {
    if (!this.#isSecure)
      throw new Error(
        `"${this.#primary}" tells of tokens only to servers with its key (replication.key), or with a certificate that it trusts`
      )
    return this.answers.ask(this.#primary, { url: TOKEN_PATH, body: { SecretID: secret } })
  }

  async #askSealed(key: Buffer, secret: string): Promise<unknown> {
    const question = encryptTokenQuery(key, secret)
    const answer = await this.answers.ask(this.#primary, { url: TOKEN_PATH, body: { Sealed: question } })
    if (!sealedAnswer.Check(answer)) throw this.#saysNothing()
    const opened = decryptTokenResolution(key, answer.Sealed, question)
    if (opened === undefined)
      throw new Error(
        `"${this.#primary}" has not sealed its answer by the key that is here (replication.key)`
      )
    return JSON.parse(opened)
  }

  #saysNothing(): Error {
    return new Error(`"${this.#primary}" answers with what tells of no token`)
  }
}

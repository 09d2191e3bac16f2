// Asks the primary datacenter about a token that this one does not know.
import { buffer } from 'node:stream/consumers'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Timers } from '../../actors/timers.js'
import type { Told } from '../../projections/acl/told-token.js'
import { SETTINGS } from '../program/ports.js'
import { isSecure, sharedKey } from '../settings/datacenters.js'
import type { Settings } from '../settings/settings.js'
import { DatacenterRequests } from './datacenter-requests.js'
import { openAnswer, sealQuestion, TOKEN_PATH } from '../routes/internal/token-question.js'

/** Within which the primary must have answered: somebody waits for it. */
const ANSWER_MS = 2000
const OK = 200
const HEADERS = ['Content-Type', 'application/json']
/** Of a refusal, for the log. */
const LONGEST_SHOWN = 200

@scoped(Lifecycle.ContainerScoped)
export class PrimaryTokens {
  readonly #primary: string
  readonly #key: Buffer | undefined
  readonly #isSecure: boolean
  readonly #requests: DatacenterRequests
  readonly #timers: Timers

  constructor(@inject(SETTINGS) settings: Settings, requests: DatacenterRequests, timers: Timers) {
    const { primary_datacenter: primary, datacenters } = settings
    this.#primary = primary
    this.#key = sharedKey(settings)
    const remote = datacenters[primary]
    this.#isSecure = remote !== undefined && isSecure(remote)
    this.#requests = requests
    this.#timers = timers
  }

  /**
   * What the primary tells of a secret.
   * @throws Error, such as a Refusal, when it cannot be asked, within 2 s
   */
  async ask(secret: string): Promise<Told> {
    const gone = new AbortController()
    const timer = this.#timers.setTimeout(() => gone.abort(), ANSWER_MS)
    try {
      return this.#key === undefined
        ? JSON.parse(await this.#post({ SecretID: secret }, gone.signal))
        : await this.#askSealed(this.#key, secret, gone.signal)
    } finally {
      this.#timers.clearTimeout(timer)
    }
  }

  async #askSealed(key: Buffer, secret: string, gone: AbortSignal): Promise<Told> {
    const question = sealQuestion(key, secret)
    const { Sealed }: { readonly Sealed: string } = JSON.parse(await this.#post({ Sealed: question }, gone))
    const answer = openAnswer(key, Sealed, question)
    if (answer === undefined)
      throw new Error(
        `"${this.#primary}" has not sealed its answer by the key that is here (replication.key)`
      )
    return JSON.parse(answer)
  }

  async #post(question: object, gone: AbortSignal): Promise<string> {
    if (this.#key === undefined && !this.#isSecure)
      throw new Error(
        `"${this.#primary}" tells of tokens only to servers with its key (replication.key), or with a certificate that it trusts`
      )
    const { answer } = await this.#requests.send(
      this.#primary,
      {
        method: 'POST',
        url: TOKEN_PATH,
        headers: HEADERS,
        body: Buffer.from(JSON.stringify(question)),
        isLong: false,
        isRead: true
      },
      gone
    )
    const text = (await buffer(answer)).toString()
    if (answer.statusCode !== OK)
      throw new Error(`"${this.#primary}" has answered ${answer.statusCode}: ${text.slice(0, LONGEST_SHOWN)}`)
    return text
  }
}

import type { Logger } from 'pino'
import type { Commit, IdempotentResponse } from '../../../events/envelope.js'
import { GrantedPermissions } from '../../../projections/acl/granted-permissions.js'
import type { Authority } from '../../../projections/acl/resolver.js'
import { BytePieces } from '../../../projections/byte-pieces.js'
import { type RouteResponse, type Body, problem } from '../response.js'

/** The first write stores its response, and a repeat returns the stored one. */
export interface KeyedWrite {
  readonly isRepeat: boolean
  watch(authority: Authority): Authority
  /**
   * @param send decides, and stores the response that `keep` creates if there is a commit
   * @param answerOf creates the response to a decision
   */
  write<Decided extends { readonly commit: Commit | undefined }>(
    send: (keep: (decided: Decided) => IdempotentResponse) => Decided,
    answerOf: (decided: Decided) => RouteResponse
  ): RouteResponse
}

const textOf = (body: Body): string => (body instanceof BytePieces ? body.toBuffer() : body).toString()

export interface NamedWrite {
  readonly name: string
  readonly body: string
}

export class FirstWrite implements KeyedWrite {
  readonly isRepeat = false
  readonly #rights = new GrantedPermissions()
  #isStored = false

  /** @param onStored called once, when there is a commit with the response */
  constructor(
    private readonly named: NamedWrite,
    private readonly onStored: () => void,
    private readonly logger: Logger
  ) {}

  get isStored(): boolean {
    return this.#isStored
  }

  watch(authority: Authority): Authority {
    return this.#rights.watch(authority)
  }

  write<Decided extends { readonly commit: Commit | undefined }>(
    send: (keep: (decided: Decided) => IdempotentResponse) => Decided,
    answerOf: (decided: Decided) => RouteResponse
  ): RouteResponse {
    if (this.#isStored) throw new Error('a route that makes several commits must refuse idempotency keys')
    let kept: RouteResponse | undefined
    const decided = send(made => {
      kept = this.#safely(() => answerOf(made))
      return this.#keep(kept)
    })
    return kept ?? answerOf(decided)
  }

  /** The commit exists, so the caller's response must be final, whatever it is. */
  #safely(make: () => RouteResponse): RouteResponse {
    try {
      return make()
    } catch (error) {
      return problem(error, this.logger)
    }
  }

  #keep({ status, body, type, headers }: RouteResponse): IdempotentResponse {
    this.#isStored = true
    this.onStored()
    return {
      Key: this.named.name,
      Body: this.named.body,
      Status: status,
      Type: type,
      Headers: headers,
      Text: textOf(body),
      Rights: this.#rights.toJson()
    }
  }
}

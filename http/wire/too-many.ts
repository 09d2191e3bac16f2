import { Refusal } from '../../actors/refusal.js'

/** A request that may succeed later (429). */
export class TooManyRequests extends Refusal {
  /** @param retryAfter whole seconds: `Retry-After` */
  constructor(
    text: string,
    readonly retryAfter: number
  ) {
    super('too-many', text)
  }
}

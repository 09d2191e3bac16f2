// A request that may succeed when it is repeated later (429).
import { Refusal } from '../../actors/refusal.js'

export class TooManyRequests extends Refusal {
  constructor(
    text: string /** Whole seconds after which it is worth repeating: `Retry-After`. */,
    readonly retryAfter: number
  ) {
    super('too-many', text)
  }
}

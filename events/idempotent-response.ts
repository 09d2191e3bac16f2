// What the log keeps of an answer, for whoever repeats a write with the same idempotency key.

/** Bytes of a key that tell whose it is. */
export const OWNER_BYTES = 4

/**
 * The answer to the write that asked for a commit. It may hold secrets, and is kept as they are: in a part of its own, encrypted
 * where they are, on no stream and in no export.
 */
export interface IdempotentResponse {
  /**
   * The idempotency key with all that it counts for, Base64: the first 4 bytes of a SHA-256 of the accessor whose key it is, then 12 of one of
   * all of it.
   */
  readonly Key: string
  /** SHA-256 of the body of the request, Base64. */
  readonly Body: string
  readonly Status: number
  /** Content type; empty where there is no body to speak of. */
  readonly Type: string
  /** Names and values in turn. */
  readonly Headers: readonly string[]
  readonly Text: string
  /** JSON of the rights that were asked for and granted; asked for anew before the answer is given again. */
  readonly Rights: string
}

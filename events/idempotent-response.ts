// The stored response to a write with an idempotency key.

/** Length of the key's first part, which identifies the owner. */
export const OWNER_BYTES = 4

/** May contain secrets. Stored in a separate part, encrypted like secrets, and never streamed or exported. */
export interface IdempotentResponse {
  /** Idempotency key, Base64: 4 bytes of a SHA-256 of its owner's accessor, then 12 bytes of one of the key with its scope. */
  readonly Key: string
  /** SHA-256 of the body of the request, Base64. */
  readonly Body: string
  readonly Status: number
  /** Content type; empty without a body. */
  readonly Type: string
  /** Alternating names and values. */
  readonly Headers: readonly string[]
  readonly Text: string
  /** JSON of the permissions that the write required. They are checked again before the response is repeated. */
  readonly Rights: string
}

// Content hashes of stored things (spec: acl.md §3.2).
import { hash } from 'node:crypto'

/** Base64 of the SHA-256 of a value's JSON: equal content in equal order gives equal hashes. */
export const contentHash = (content: unknown): string => hash('sha256', JSON.stringify(content), 'base64')

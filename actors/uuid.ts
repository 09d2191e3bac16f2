// The rules for IDs that callers may choose (spec: acl.md §2.6, §3.3).
import { invalid } from './refusal.js'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const RESERVED_PREFIX = '00000000-0000-0000-0000-0000000000'

export const isUuid = (text: string): boolean => UUID.test(text)

/** @param label precedes the ID in the error @throws Refusal `invalid` unless the ID is a UUID */
export const requireUuid = (code: Parameters<typeof invalid>[0], label: string, id: string): void => {
  if (!isUuid(id)) throw invalid(code, `${label} "${id}" is not a valid UUID: a UUID must be 36 characters`)
}

/** True for an ID that only the server itself may use. */
export const isReserved = (id: string): boolean => id.startsWith(RESERVED_PREFIX)

export const RESERVED_TEXT = `UUIDs with the prefix "${RESERVED_PREFIX}" are reserved`

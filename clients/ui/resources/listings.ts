// Everything that is listed, by the names that pages ask for it with. The worker of the lists knows no other.
import { kinds } from './kinds.js'
import { plain, type Listing } from './listing.js'

/** By name; that of the plain list of a kind is its path. */
export const listings: Readonly<Record<string, Listing<object>>> = Object.fromEntries(
  kinds.map(kind => [kind.path, plain(kind)])
)

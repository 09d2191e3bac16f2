// Links as readers see them: with the names that their targets have today (spec: acl.md §6.2, §6.3).
import type { Link } from '../../events/definition/types.js'

/** Where the current names of linked things come from: the read models of policies and roles. */
export interface NameSource {
  /** Grows with every rename and removal of a policy or role. */
  readonly namesVersion: number
  policyName(id: string): string | undefined
  roleName(id: string): string | undefined
}

/** The links whose targets still exist, each with the target's name of today. */
export const currentLinks = (
  links: readonly Link[],
  nameOf: (id: string) => string | undefined
): readonly Link[] => {
  if (links.length === 0) return links
  return links.flatMap(({ ID }) => {
    const Name = nameOf(ID)
    return Name === undefined ? [] : [{ ID, Name }]
  })
}

// Route facts shared by tokens, policies, roles, auth methods and binding rules (spec: api.md).
import type { Tag } from '../../openapi/tags.js'
import { requires, PRIMARY_WRITE } from '../../wire/route.js'

export const aclFacts = (tag: Tag) => {
  const facts = { tag } as const
  return {
    read: { ...facts, access: requires('acl:read'), blocking: true, consistency: 'all', isConfined: true },
    write: { ...facts, access: requires('acl:write') }
  } as const
}

/** The facts of resources that the primary datacenter owns. */
export const globalAclFacts = (tag: Tag) => {
  const { read, write } = aclFacts(tag)
  return { read, write: { ...write, ...PRIMARY_WRITE } } as const
}

// One role and its answer, serialised once per change.
import type { Tenancy } from '../../events/envelope.js'
import { roleDefinition, type Role } from '../../events/role.js'
import { resourceViewsOf, type ResourceView } from '../definition/resource-views.js'
import type { NameSource } from './links.js'

const shown = resourceViewsOf(roleDefinition)

/**
 * A role as the read model holds it. Its read form, which is also its entry in lists, is made when first asked for and
 * kept until a linked policy is renamed or removed.
 */
export class RoleRow {
  #json = ''
  #namesVersion = -1

  constructor(
    readonly role: Role,
    readonly tenancy: Tenancy
  ) {}

  /** The answer of a read (acl.md §5). */
  json(names: NameSource): string {
    if (this.#namesVersion !== names.namesVersion) {
      this.#json = JSON.stringify(this.toObject(names))
      this.#namesVersion = names.namesVersion
    }
    return this.#json
  }

  /** The read form as an object. */
  toObject(names: NameSource): ResourceView {
    return shown(this.role, this.tenancy, { names })
  }
}

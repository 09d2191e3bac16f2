// Decides the commands on binding rules (spec: auth.md §5.2, in its order of checks).
import {
  BIND_TYPES,
  type BindingRule,
  type BindingRuleEvent,
  type BindType
} from '../../events/binding-rule.js'
import type { Tenancy } from '../../events/envelope.js'
import type { AuthMethodRow } from '../../projections/acl/auth-method-row.js'
import { compileSelector } from '../../projections/acl/binding-rule-row.js'
import { FilterError } from '../../projections/language/filter.js'
import { parseTemplate, TemplateError } from '../../projections/language/template.js'
import type { Views } from '../../projections/views.js'
import { parseConfig } from '../auth-method/config.js'
import { invalid, Refusal } from '../refusal.js'
import { within } from '../same-tenancy.js'
import { isUuid } from '../uuid.js'
import { isBindName, tryOut } from './bind-name.js'
import type {
  BindingRuleCommand,
  BindingRuleDraft,
  CreateBindingRule,
  DeleteBindingRule,
  UpdateBindingRule
} from './commands.js'
import { bindingRuleDeleted, bindingRuleUpserted } from './events.js'

const checkId = (id: string): void => {
  if (!isUuid(id)) throw invalid(`Binding Rule ID invalid UUID: "${id}" must have 36 characters`)
}

const checkSelector = (selector: string, { method }: AuthMethodRow): void => {
  try {
    compileSelector(selector, method.Type)
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    throw invalid(`invalid Binding Rule: Selector is invalid: ${error.message}`)
  }
}

const bindTypeOf = (given: string): BindType => {
  const type = BIND_TYPES.find(known => known === given)
  if (!type)
    throw invalid(
      `Invalid Binding Rule: unknown BindType "${given}"; it must be one of ${BIND_TYPES.join(', ')}`
    )
  return type
}

const checkBindName = (type: BindType, name: string, { method }: AuthMethodRow): void => {
  const identity = tryOut(parseConfig(method.Type, method.Config))
  let computed: string
  try {
    computed = parseTemplate(name).render(identity.variables)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw invalid(`Invalid Binding Rule: invalid BindName: ${error.message}`)
  }
  if (!isBindName(type, computed))
    throw invalid(
      `Invalid Binding Rule: invalid BindName: "${computed}" is no name of a ${type}: at most 256 ${
        type === 'role'
          ? "letters, digits, '-' and '_'"
          : "lower-case letters, digits, '-' and '_', beginning and ending with a letter or digit"
      }`
    )
}

const contentOf = (draft: BindingRuleDraft, tenancy: Tenancy, views: Views) => {
  if (draft.AuthMethod === '') throw invalid('Invalid Binding Rule: no AuthMethod is set')
  const method = views.authMethods.named(tenancy, draft.AuthMethod)
  if (!method) throw invalid(`cannot find auth method with name "${draft.AuthMethod}"`)
  checkSelector(draft.Selector, method)
  if (draft.BindType === '') throw invalid('Invalid Binding Rule: no BindType is set')
  if (draft.BindName === '') throw invalid('Invalid Binding Rule: no BindName is set')
  const BindType = bindTypeOf(draft.BindType)
  if (BindType === 'node' && tenancy.namespace !== 'default')
    throw invalid('Invalid Binding Rule: BindType "node" is allowed only in namespace "default"')
  checkBindName(BindType, draft.BindName, method)
  const { Description, AuthMethod, Selector, BindName } = draft
  return { Description, AuthMethod, Selector, BindType, BindName }
}

const create = ({ data, tenancy }: CreateBindingRule, views: Views, index: number): BindingRuleEvent[] => {
  const rule: BindingRule = {
    ID: data.newId,
    ...contentOf(data, tenancy, views),
    CreateIndex: index,
    ModifyIndex: index
  }
  return [bindingRuleUpserted(tenancy, rule)]
}

const update = ({ data, tenancy }: UpdateBindingRule, views: Views, index: number): BindingRuleEvent[] => {
  checkId(data.id)
  const row = within(views.bindingRules.get(data.id), tenancy)
  if (!row) throw new Refusal('missing', `cannot find binding rule ${data.id}`)
  const { ID, AuthMethod, CreateIndex } = row.rule
  if (data.AuthMethod !== '' && data.AuthMethod !== AuthMethod)
    throw invalid('the AuthMethod field of an Binding Rule is immutable')
  const content = contentOf({ ...data, AuthMethod }, tenancy, views)
  return [bindingRuleUpserted(tenancy, { ID, ...content, CreateIndex, ModifyIndex: index })]
}

const remove = ({ data, tenancy }: DeleteBindingRule, views: Views): BindingRuleEvent[] => {
  checkId(data.id)
  const row = within(views.bindingRules.get(data.id), tenancy)
  return row ? [bindingRuleDeleted(tenancy, row.rule)] : []
}

/** @throws Refusal `invalid` */
export const decideBindingRule = (
  command: BindingRuleCommand,
  views: Views,
  index: number
): BindingRuleEvent[] => {
  switch (command.name) {
    case 'CreateBindingRule':
      return create(command, views, index)
    case 'UpdateBindingRule':
      return update(command, views, index)
    case 'DeleteBindingRule':
      return remove(command, views)
  }
}

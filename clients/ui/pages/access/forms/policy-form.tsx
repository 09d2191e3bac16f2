// A policy in a form whose editor tells faults of its rules as one types.
import { useMemo } from 'preact/hooks'
import { CodeEditor } from '../../../components/code-editor.js'
import type { TenancyQuery } from '../../../session/tenancy.js'
import { useDraft } from '../../../session/use-draft.js'
import { useValidation } from '../validation.js'
import { Form, TextField } from './form.js'
import { store } from './send.js'
import { listOf, type Policy } from './acl-resources.js'

interface Props {
  /** Undefined for one that is to be made. */
  readonly policy: Policy | undefined
  /** Of one that is to be made. */
  readonly rules?: string
  readonly place: TenancyQuery
  readonly done: (stored: Policy) => void
}

export const PolicyForm = ({ policy, rules = '', place, done }: Props) => {
  const { Name = '', Description = '', Datacenters, Rules = rules, ID, ModifyIndex = 0 } = policy ?? {}
  const stored = { Name, Description, Rules, where: (Datacenters ?? []).join(', ') }
  const draft = useDraft(stored, ModifyIndex)
  const { value, change } = draft
  const { validation, faults } = useValidation(value.Rules)
  const send = async (reason: string): Promise<void> => {
    const { where, ...fields } = value
    const body = { ...fields, Datacenters: listOf(where) }
    const target = { path: '/v1/acl/policy', id: ID, place }
    const saved = await store<Policy>(target, body, reason)
    draft.discard()
    done(saved)
  }
  const noFaults = useMemo(() => validation?.Valid && validation.Warnings.length === 0, [validation])
  return (
    <Form
      label="Policy"
      place={place}
      draft={draft}
      isNew={!policy}
      isFaulty={validation?.Valid === false}
      send={send}
    >
      {mayWrite => (
        <>
          <div class="columns">
            <TextField label="Name" required value={value.Name} change={text => change({ Name: text })} />
            <TextField
              label="Datacenters"
              placeholder="all"
              value={value.where}
              change={text => change({ where: text })}
            />
          </div>
          <TextField
            label="Description"
            value={value.Description}
            change={text => change({ Description: text })}
          />
          <div class="field">
            <span>Rules</span>
            <CodeEditor
              value={value.Rules}
              change={text => change({ Rules: text })}
              language="hcl"
              label="Rules of the policy"
              faults={faults}
              readOnly={!mayWrite}
            />
            {noFaults && <p role="status">No faults</p>}
          </div>
        </>
      )}
    </Form>
  )
}

import { policyDefinition } from '../../../../../events/policy.js'
import {
  CodeEditor,
  Field,
  FieldGroup,
  fieldOf,
  FurtherFields,
  furtherTexts,
  type Fault
} from '../../../design/index.js'
import { useDraft, useTask } from '../../../session/use-response.js'
import { ProposeButton } from '../proposal-view.js'
import { Form, type ResourceFormProps, listOf, type Policy } from './form.js'
import type { Schemas } from '../../../../typescript/typed/index.js'
import { useLocation } from 'preact-iso'
import { useMemo, useState } from 'preact/hooks'
import { pause } from '../../../../typescript/backoff.js'
import { client } from '../../../session/session.js'

type Validation = Schemas['RuleValidation']

/** The pause in typing before a validation, in ms. */
const PAUSE = 150

const faultsOf = ({ Errors, Warnings }: Validation): readonly Fault[] => {
  const faults = (severity: Fault['severity'], notices: readonly Schemas['RuleNotice'][]) =>
    notices.map(({ Message, Line, Column }) => ({ line: Line, column: Column, severity, message: Message }))
  return [...faults('error', Errors), ...faults('warning', Warnings)]
}

/** The validation is undefined until the first response. */
const useValidation = (
  rules: string
): { readonly validation: Validation | undefined; readonly faults: readonly Fault[] } => {
  const [validation, setValidation] = useState<Validation>()
  const { connection } = client.value
  const validate = async (signal: AbortSignal): Promise<void> => {
    await pause(PAUSE, signal)
    const options = { body: { Rules: rules }, signal }
    const response = await connection.request('POST', '/v1/acl/policy/validate', options)
    setValidation(await response.json<Validation>())
  }
  // Without permission to validate, saving reports the faults.
  useTask(validate, () => setValidation(undefined), [connection, rules])
  const faults = useMemo(() => (validation ? faultsOf(validation) : []), [validation])
  return { validation, faults }
}

const KNOWN = ['Name', 'Description', 'Rules']

/** The address may contain the rules of a new policy. */
export const PolicyForm = ({ target, stored, done }: ResourceFormProps<Policy>) => {
  const { rules = '' } = useLocation().query
  const { Name = '', Description = '', Datacenters, Rules = rules, ModifyIndex = 0 } = stored ?? {}
  const where = (Datacenters ?? []).join(', ')
  const further = furtherTexts(policyDefinition, KNOWN, stored)
  const draft = useDraft({ Name, Description, Rules, where, further }, ModifyIndex)
  const { validation, faults } = useValidation(draft.value.Rules)
  const body = () => {
    const { where: names, further: others, ...fields } = draft.value
    return { ...fields, ...others, Datacenters: listOf(names) }
  }
  return (
    <>
      <Form
        hasImpact
        label="Policy"
        target={target}
        draft={draft}
        isFaulty={validation?.Valid === false}
        body={body}
        done={done}
      >
        {mayWrite => (
          <>
            <div class="columns">
              <Field label="Name" required {...fieldOf(draft, 'Name')} />
              <Field label="Datacenters" placeholder="all" {...fieldOf(draft, 'where')} />
            </div>
            <Field label="Description" {...fieldOf(draft, 'Description')} />
            <FurtherFields definition={policyDefinition} {...fieldOf(draft, 'further')} />
            <FieldGroup title="Rules" name="Rules">
              <CodeEditor
                {...fieldOf(draft, 'Rules')}
                language="hcl"
                label="Rules of the policy"
                faults={faults}
                readOnly={!mayWrite}
              />
              {draft.value.Rules !== '' && validation?.Valid && faults.length === 0 && (
                <p role="status">No errors</p>
              )}
            </FieldGroup>
          </>
        )}
      </Form>
      {target.id !== undefined && draft.isEdited && (
        <ProposeButton {...target} body={body} isFaulty={validation?.Valid === false} done={draft.discard} />
      )}
    </>
  )
}

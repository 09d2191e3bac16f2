import { policyDefinition } from '../../../../../events/policy.js'
import { CodeEditor, Field, fieldOf, FurtherFields, furtherTexts } from '../../../design/index.js'
import { useDraft } from '../../../session/use-draft.js'
import { useValidation } from '../validation.js'
import { Form, type ResourceFormProps } from './form.js'
import { listOf, type Policy } from './acl-resources.js'

const KNOWN = ['Name', 'Description', 'Rules']

interface Props extends ResourceFormProps<Policy> {
  readonly rules?: string
}

export const PolicyForm = ({ target, stored, rules = '', done }: Props) => {
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
    <Form
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
          <div class="field">
            <span>Rules</span>
            <CodeEditor
              {...fieldOf(draft, 'Rules')}
              language="hcl"
              label="Rules of the policy"
              faults={faults}
              readOnly={!mayWrite}
            />
            {validation?.Valid && faults.length === 0 && <p role="status">No errors</p>}
          </div>
        </>
      )}
    </Form>
  )
}

import { namespaceDefinition, partitionDefinition } from '../../../../../events/namespace.js'
import type { Schemas } from '../../../../typescript/typed/index.js'
import { FieldsForm } from '../../access/forms/fields-form.js'
import type { ResourceFormProps } from '../../access/forms/form.js'
import { tokenDefaults } from '../../access/forms/inputs.js'

export type Namespace = Schemas['Namespace']

export type Partition = Schemas['Partition']

const PERMISSION = {
  resource: 'operator',
  without: 'it may write only where its rules name the place itself.'
}

const nameInput = (stored: object | undefined) => ({
  Name: {
    required: true,
    hint: 'Up to 63 lower-case letters, digits and hyphens. It cannot be changed later.',
    isHidden: stored !== undefined
  }
})

const META = { label: 'Metadata, one pair per line', name: 'Meta|pair', rows: 3, placeholder: 'owner = team' }

export const NamespaceForm = (props: ResourceFormProps<Namespace>) => (
  <FieldsForm
    {...props}
    {...PERMISSION}
    label="Namespace"
    uniqueIn={`${props.target.path}s`}
    definition={namespaceDefinition}
    inputs={[nameInput(props.stored), { Description: {} }, { ACLs: tokenDefaults }, { Meta: META }]}
  />
)

export const PartitionForm = (props: ResourceFormProps<Partition>) => (
  <FieldsForm
    {...props}
    {...PERMISSION}
    label="Partition"
    uniqueIn={`${props.target.path}s`}
    definition={partitionDefinition}
    inputs={[nameInput(props.stored), { Description: {} }, { DisableGossip: { isHidden: true } }]}
  />
)

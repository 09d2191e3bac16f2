// Makes the events of namespaces.
import type { Tenancy } from '../../events/envelope.js'
import {
  NAMESPACE_TOPIC,
  type Namespace,
  type NamespaceDeleted,
  type NamespaceUpserted
} from '../../events/namespace.js'
import { makeEvent } from '../make-event.js'

/** Namespaces are in a partition and in no namespace. */
const common = (partition: string, namespace: Namespace) => ({
  Topic: NAMESPACE_TOPIC,
  Key: namespace.Name,
  tenancy: { partition, namespace: '' } satisfies Tenancy,
  Payload: { Namespace: namespace }
})

export const namespaceUpserted = (partition: string, namespace: Namespace): NamespaceUpserted =>
  makeEvent({ ...common(partition, namespace), Topic: NAMESPACE_TOPIC, Type: 'NamespaceUpserted' })

export const namespaceDeleted = (partition: string, namespace: Namespace): NamespaceDeleted =>
  makeEvent({ ...common(partition, namespace), Topic: NAMESPACE_TOPIC, Type: 'NamespaceDeleted' })

/** The namespace `default` that every partition has from its beginning. */
export const defaultNamespace = (partition: string, index: number): NamespaceUpserted =>
  namespaceUpserted(partition, {
    Name: 'default',
    Description: DEFAULT_DESCRIPTION,
    ...(partition === 'default' ? {} : { Partition: partition }),
    CreateIndex: index,
    ModifyIndex: index
  })

export const DEFAULT_DESCRIPTION = 'Builtin Default Namespace'

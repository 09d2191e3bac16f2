// The only namespace in which a token has rights: pages show that one until another is chosen.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useAnswer } from './use-answer.js'
import { useMay } from './use-may.js'

/** Undefined where the token has rights in several, or in none. */
export const ownNamespace = signal<string | undefined>(undefined)

const DEFAULT = 'default'

interface Self {
  /** Absent for the default. */
  readonly Namespace?: string
}

interface Props {
  /** The only one that the server names to who looks. */
  readonly name: string
}

/** Keeps that it is the only one, for as long as it is there. Who manages tokens may be shown others at any time. */
export const KeepOwnNamespace = ({ name }: Props) => {
  const { value } = useAnswer<Self>('/v1/acl/token/self')
  const manages = useMay('write', 'acl', { ns: undefined, partition: undefined })
  const isOwn = value !== undefined && (value.Namespace ?? DEFAULT) === name && manages === false
  useEffect(() => {
    ownNamespace.value = isOwn ? name : undefined
    return () => {
      ownNamespace.value = undefined
    }
  }, [isOwn, name])
  return null
}

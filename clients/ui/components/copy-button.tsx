// Puts a text into the clipboard: <CopyButton text={secret} />. Where pages have none, which is without TLS and away from
// this machine, the text is to be selected by hand.
import { useState } from 'preact/hooks'
import { failureOf } from '../session/failure.js'
import { Refusal } from './refusal.js'

export const CopyButton = ({ text }: { readonly text: string }) => {
  const [isCopied, setIsCopied] = useState(false)
  const [failure, setFailure] = useState<string>()
  if (!window.isSecureContext) return null
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setIsCopied(true),
      (error: unknown) => setFailure(failureOf(error))
    )
  }
  return (
    <>
      <button type="button" onClick={copy}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
      <Refusal text={failure} />
    </>
  )
}

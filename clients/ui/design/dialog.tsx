// <Dialog title="Keys" isOpen={isOpen} close={…}>…</Dialog>. A <footer> at its end holds the buttons. ConfirmButton confirms actions.
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

interface Props {
  readonly title: string
  readonly isOpen: boolean
  /** Is called after every kind of closing, including Escape. */
  readonly close: () => void
  readonly children: ComponentChildren
}

export const Dialog = ({ title, isOpen, close, children }: Props) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    if (isOpen) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen])
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={close}>
      <h2 id={id}>{title}</h2>
      {isOpen && children}
    </dialog>
  )
}

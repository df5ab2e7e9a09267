# Everyday programs over paths of every standing. The failures are the point.
set -- \
    plain.txt ./tree/../plain.txt to-plain \
    ../outside/data.txt "$BED/outside/data.txt" "$BED//outside/.//data.txt" ../work/../outside/sub/../data.txt \
    to-outside to-outside-dir/sub/more.txt chain ../outside/to-plain ../outside/to-secret ../outside/to-more \
    ../outside ../outside/ to-outside-dir to-outside-dir/ \
    secret.env to-secret "$BED/work/secret.env" \
    hidden hidden/ hidden/. hidden/inside.txt hidden/sub/deep.txt hidden/missing hidden/missing/deeper hidden/link-out \
    hidden/../plain.txt to-hidden to-hidden/inside.txt to-inside \
    missing missing/deeper ../outside/missing to-nothing loop plain.txt/not-a-directory ../outside/data.txt/not-a-directory \
    private.txt "$BED/home/.ssh/id_rsa" "$BED/home/.npmrc" "$SHADOWED/file" "$SHADOWED/dir/missing" "$SHADOWED" \
    /proc/self/cwd/secret.env /proc/self/cwd/../outside/data.txt "/proc/self/root$BED/outside/data.txt" \
    "/proc/self/root/proc/self/cwd/hidden/inside.txt" \
    /etc/shadow /root/.profile / /var/spool/cron
for path; do
    for program in $PROGRAMS; do
        case $program in
            cp) cp "$path" copy ;;
            find) find "$path" -maxdepth 2 ;;
            test) test -r "$path"; test -x "$path"; test -w "$path" ;;
            cd) (cd "$path" && cat data.txt) ;;
            head) head -n 1 "$path" ;;
            readlink) readlink -f "$path"; readlink "$path" ;;
            *) "$program" "$path" ;;
        esac
    done
done >/dev/null 2>&1
exit 0

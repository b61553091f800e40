# Ends what a test started, however the test's own process ends: reads process group ids from stdin, one a line, and when stdin
# closes (its writer closed it, or died of anything, SIGKILL too) kills those groups and removes the folder $1.
groups=
while read -r group; do groups="$groups $group"; done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
# A killed process may still be closing files.
rm -rf -- "$1" 2>/dev/null || { sleep 1; rm -rf -- "$1"; }

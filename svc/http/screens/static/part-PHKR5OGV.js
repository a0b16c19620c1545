import{c as a,d as b,e as c,f as d}from"./part-O3X7V52Q.js";import"./part-X5HS5WEU.js";import"./part-RCH24VPI.js";export{d as Sender,a as StateBadge,c as default,b as nameOf};
